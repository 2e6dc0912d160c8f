"""The closed classes of words by which a text turns to a machine, asks it for something, or tells of such texts, in many
languages (memory-model: Planted text)."""

# ruff: noqa: E501, RUF001 (classes of words in many languages and scripts are read better whole)

from memotheca.memory.safety.disguises import undisguise
from memotheca.model.knowledge import fold


class Words:
    """A class of words: whole ones, beginnings and ends (with a hyphen where they go on), and, in scripts without blanks,
    parts."""

    def __init__(self, spelled: str, inside: str = "") -> None:
        every = fold(undisguise(spelled)).split()
        self._whole = frozenset(each for each in every if not each.endswith("-") and not each.startswith("-"))
        self._ended = tuple(each[1:] for each in every if each.startswith("-"))
        self._begun = tuple(each[:-1] for each in every if each.endswith("-"))
        self._inside = tuple(fold(undisguise(inside)).split())

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and (
            word in self._whole or word.startswith(self._begun) or word.endswith(self._ended)
        )

    def is_in(self, written: str) -> bool:
        """Whether one of the parts stands in a text of a script without blanks."""
        return any(part in written for part in self._inside)


# What only machines are called.
MACHINES = Words(
    "ai ais ki kis ia ias ии ші ші-агент mi-asszisztens llm llms llm's gpt chatgpt claude gemini copilot copilots chatbot chatbots "
    "summarizer summarizers summariser summarisers chat-gpt sprachmodell- sprachassisten- språkmodell- sprogmodel- "
    "taalmodel- kielimalli- tekoäly- yapayzeka chatbot- чат-бот- чатбот- чатбот нейросет- нейромреж- הבינה בינה asisten-ai kecerdasan νοημοσύνη",
    "人工智能 智能助手 智能体 大模型 语言模型 機械学習 人工知能 アシスタント チャットボット 言語モデル エージェント 인공지능 어시스턴트 챗봇 언어 모델 ai",
)
# What machines and people are called; the first ones more often machines where a text turns to them.
HEADS = Words(
    "bot bots assistant assistants assistant's assistente assistenten assistentin assistenti assistent assistents asistente asistentes asystent- asystenc- asistent- asistan- "
    "assistenten assistents avustaja- asszisztens- ассистент- помощник- помічник- βοηθ- agent agents agente agentes agenti agenten agentin agens- агент- المساعد مساعد الوكيل وكيل النموذج للمساعد asisten asisten- עוזר העוזר "
    "model models model's modell modelle modellen modèle modèles modelo modelos modello modelli modellen modeli modelom modelu модел- модель malli mallit",
    "助手 模型 代理 助理 モデル 모델 비서",
)
WEAK_HEADS = Words(
    "machine machines maschine- máquina máquinas macchina macchine maskin- maszyn- машин- makine- program programs programm programme programmes programa programas programma- "
    "software logiciel- system systems systeme système systèmes sistema sistemas sistem- system- система- системы systém- textsystem- robot robots robô- robota- roboter- робот- "
    "computer computers ordinateur- ordenador- komputer- компьютер- reader readers lecteur lecteurs lector lectores leser leserin lezer lezers lettore lettori czytelnik- читател- "
    "helper helpers helfer hulp processor processors parser parsers engine engines tool tools werkzeug- integration integrations intelligence intelligences intelligenz intelligen- inteligen- "
    "intelligens- интеллект- zeka zekası zekâ äly filler fillers editor editors reviewer reviewers referee screener translator translators transcriber indexer thing caller client lý ly plugin plugins "
    "automation automations automat automaten tekoälyjärjestelmä-",
)
# What people are called who read; machines only where something says so.
PERSONS = Words(
    "reader readers reader's lecteur lecteurs lector lectores leser leserin lezer lezers lettore lettori czytelnik- читател- editor editors reviewer reviewers referee screener translator translators transcriber filler fillers caller client thing writer writers taker takers"
)
# What makes such a word a machine's name.
MACHINE_KINDS = Words(
    "ai ki ia ии ai-powered ai-based llm llm-based language langage lenguaje linguaggio linguagem sprach- taal- językow- языков- digital- dijital- digitaal digitale cyfrow- цифров- numérique- "
    "virtual- virtuel- virtuell- wirtualn- виртуальн- sanal automated automatic automatis- automatiq- automátic- automatic- automatiz- automatyczn- автоматич- автоматиз- otomatik "
    "artificial- artificiel- artificiell- artificiale künstlich- kunstig- konstgjord- kunstmatig- sztuczn- искусственн- umělá umělé umělý yapay الذكي الاصطناعي ذكي الرقمي الافتراضي buatan virtual τεχνητή keinoäly- smart intelligent- intelligente- inteligente- inteligentn- интеллектуальн- "
    "electronic- elektronisch- electroniq- electrónic- elettronic- elektroniczn- software machine coding programming conversational conversationnel- conversacional- conversazional- chat voice computer- neural neuronal- generative générativ- generativ- trợ tro"
)
# What people are called by the same words for.
TRADES = Words(
    "teaching research shop sales dental medical legal nursing care classroom kitchen laboratory-technical estate travel letting shipping insurance customs press parking student production executive administrative "
    "marketing sports real-estate ticket booking cleaning property federal secret free undercover licensing literary immobilien- versicherungs- zoll- reise- lehr- arzt- zahn- immobilier- commercial- inmobiliari- immobiliar- "
    "reducing cleaning chemical oxidising drying bleaching role fashion business data climate scale 3d solar operating ssh ssh- gpg user-"
)
# What may stand before a name at the beginning of a clause, so that the name is who does it.
BEGINNINGS = Words(
    "the a an this that these those any every each all no such some der die das den dem ein eine jeder jede jedes alle diese dieser dieses le la les l un une tout toute tous toutes chaque cet cette ces el los las un una todo toda todos todas cada este esta il lo i gli ogni tutti tutte questo "
    "o os as um uma qualquer todo cada de het een elke alle deze den det en et ett alle hver enhver varje alla każdy każda wszyscy wszystkie ten каждый каждая любой любая все этот dear and und et y e en og och i и also note please furthermore additionally moreover note then now by"
)
OWNERS = Words(
    "your our my his her their its ihr ihre ihren ihrem dein deine unser unsere mein meine votre vos notre nos ton ta tes mon ma tu tus su sus nuestro nuestra mi mis tuo tua vostro vostra suo sua nostro nostra mio mia seu sua nosso nossa meu minha uw jouw je onze mijn jullie din dit deres vår vårt er ert ditt min "
    "twój twoja wasz nasz mój ваш ваша ваши твой наш мой"
)
ABOUT = Words(
    "on about of with by from using how why what when where who which über von mit durch wie warum was sur avec comment pourquoi sobre con cómo por su come perché como porque over met hoe waarom om med hvordan hur o jak dlaczego о как почему called"
)
CALLS = Words(
    "dear hey hi hello ok okay please attention achtung liebe lieber liebes hallo werte werter geehrte geehrter geehrtes cher chère chers bonjour querido querida estimado estimada hola caro cara gentile ciao "
    "beste kjære kære kära hei hej drogi droga szanowny szanowni cześć witaj дорогой дорогая уважаемый уважаемая уважаемые привет sayın merhaba prezado prezada olá milý milá ahoj thân kedves szia hyvä",
    "亲爱的 尊敬的 親愛なる 致 へ：",
)
TOWARDS = Words(
    "to for an für fuer à au aux pour para per all'attenzione all al alla agli all' voor aan dla do для til till pro för k ke için cho إلى الى ל untuk kepada",
    "致 给 给予 向け への 에게 へ",
)
NOTES = Words(
    "note notes notice message messages instruction instructions memo hint hints reminder ps p.s directive directives prompt command guidance attention hinweis- nachricht- anweisung- mitteilung- notiz- bemerkung auftrag "
    "consigne- remarque- avis instruction- instrucción instrucciones nota notas mensaje aviso messaggio messaggi istruzion- avviso avvertenza instrução instruções mensagem bericht boodschap instructie- opmerking "
    "besked meddelelse melding meddelande anvisning- polecenie instrukcj- uwaga wiadomość notatka инструкц- сообщени- примечани- указани- внимани- заметк- talimat- mesaj- duyuru pokyn- zpráva- poznámka rule rules policy resolution ملاحظة تعليمات رسالة catatan pesan",
    "指示 注意 说明 提示 指令 注 メモ 注意 指示 알림 지시 참고",
)
CONDITIONS = Words(
    "if when whenever unless once whoever whichever whatever any every each should wenn falls sollte sobald wer jeder jede jedes als indien wanneer si quand lorsque quiconque cuando quien cualquier se quando qualora chiunque ogni caso "
    "qualquer quem jeśli jeżeli gdy kiedy każdy если когда кто каждый любой всякий hvis når enhver när varje jos eğer pokud když jestliže kdo nếu khi ha amikor αν όταν all alle tous toute tout toda todo todos tutti",
    "如果 若 当 凡 任何 もし 場合 만약 경우",
)
DUTIES = Words(
    "must shall should ought obliged required instructed expected asked told requested advised ordered directed bound muss müssen musst müsst soll sollen sollst sollt verpflichtet angewiesen gebeten hat haben doit doivent devez dois devra devront "
    "tenu- prié- prega- debe deben debes deberá deberán tiene tienen obligad- deve devono devi dovete dovrà devem deves deverá moet moeten dient dienen verplicht verzocht musi muszą musisz powinien powinny powinni powinna mają obowiązek należy "
    "должен должна должны обязан обязаны обязана следует надлежит skal må bør pålagt plikter måste ska skall bör täytyy pitää tulee musí mají povinen phải kell köteles gerekir gerekiyor zorunda zorundadır lazım malı meli need needs",
    "必须 应 须 请 務必 なさい ください しろ せよ べき 必ず 해야 하십시오 하세요 해라 하라",
)
DUTY_VERBS = Words("is are has have be zijn is")  # with a "to" behind them
AGREEING = Words("agrees accept accepts consents waives")
YOU = Words(
    "you your yours yourself you're you'll ye thou du dein- dir dich ihr euch eure- sie ihnen ihre- tú tu tus ti te usted ustedes su sus vous votre vos toi ton ta tes lei voi vi tuo tua tuoi tue suo sua vostr- você vocês seu seus sua suas vosso jij je jouw "
    "u uw jullie ty twój twoj- ci cię pan pani państwo ты тебе тебя твой твои твоя вы вам вас ваш- sen siz sana size senin sizin din ditt dina dig deg dere jer bạn sinä sinun vy váš vás tvůj",
    "你 您 あなた 君 貴方 당신 너",
)
READING = Words(
    "read reads reading summari- describ- translat- transcrib- transcript- process- extract- opens opening open receiv- parse- parsing index- indexing evaluat- analy- handl- scan- scanning fill- types typing writes writing hears hear filling lies liest lesen lest auswert- verarbeit- zusammenfass- beschreib- "
    "übersetz- lit lis lisant lire lisez lisent trait- résum- tradu- décri- lee leen leyendo leer lea proces- resum- describ- leggi legge leggono legga elabora- riassum- descriv- lê leem lendo ler leia leest lezen verwerk- samenvat- vertaal- "
    "læs- leser lese läser läsa behandl- oversett- översätt- czyta- przetwarza- tłumacz- чита- обрабатыва- переводи- анализиру- okuyan okuyorsan okuyan- işleyen çeviren čte čtou zpracov- đọc xử lukee lukeva olvas- receive يقرأ تقرأ membaca διαβάζει",
    "阅读 读取 读到 处理 翻译 总结 読む 読んで 読ん 要約 処理 翻訳 읽는 읽고 처리 번역 요약",
)
PROCESSING = Words(
    "summari- describ- translat- transcrib- process- parse- parsing auswert- verarbeit- zusammenfass- übersetz- résum- tradui- traduc- riassum- samenvat- vertaal- обрабатыва- переводи- tłumacz- oversett- översätt-",
    "总结 翻译 要約 翻訳 번역 요약",
)
THIS = Words(
    "this these here below following diese dieser dieses diesen diesem dies hier ce cet cette ces ceci ici este esta estas estos esto questo questa queste questi dit deze dette denne disse detta denna dessa это этот эту этой эти этого bu bunu tę tego tej tento tuto toto này tämä tämän ezt ezen isto aqui هذه هذا ini αυτή",
    "本页 本文 本段 本句 这 此 この 本ページ これ 이 페이지 이것 이 문서",
)
TELLING = Words(
    "tell tells telling mention mentions mentioning disclos- notif- inform informs informing reveal- show shown showing display- log logged logging record recorded report reported reporting alert alerting flag flagging ask asking asks confirm confirming confirmation approval permission authorisation authorization consent zustimmung genehmigung bestätigung autorisation approbation confirmación aprobación conferma approvazione confirmação aprovação toestemming bevestiging goedkeuring bekræftelse bekreftelse godkännande potwierdzeni- zgody подтвержден- разрешени- согласи- onay "
    "consult consulting discuss discussing repeat repeated say saying says announce announcing know knows word trace trouble bother notice notification list listed naming name cite citing quote question questions erwähn- sag- frag- zeig- meld- verrat- mitteil- teilt nachfrag- rückfrag- "
    "mentionne- dis dites dire demand- affich- signal- avert- prév- confirm- mencion- diga- digas pregunt- avis- avvis- revel- mostr- chied- chieder- citare cit- noem- vraag- vragen vertel- meld- nevn- sig si spørg- spør- nämn- säg- fråg- упомин- говор- спраш- сообщ- показы- "
    "pytaj- pyta- mów- wspomin- inform- pokaz- söyle- sor- belirt- göster- bahset- تخبر تذكر beritahu πεις říkej ptej zmiň hỏi nói nhắc mainits- kerro kysy említs- mondd kérd-",
    "告诉 提及 告知 透露 询问 显示 言わ 伝え 知らせ 尋ね 表示し 告げ 말하 알리 언급 묻",
)
DENYING = Words(
    "not no never without nobody none nothing neither nor don't doesn't skip suppress avoid refrain nicht kein keine keinen keiner keinem ohne nie niemals niemand niemandem pas sans jamais aucun ne n rien non senza mai nessuno sin nunca nadie não sem ninguém nem "
    "niet geen zonder nooit niemand ikke uden uten ingen aldri aldrig inte utan aldrig не без никогда никому ни nie bez nikomu nigdy sakın asla ne nikdy nikomu không đừng chớ älä älkää soha لا دون بدون jangan tanpa μην χωρίς",
    "不要 不得 勿 别 不 切勿 ないで ずに せず 하지 말",
)
HUSH = Words(
    "silent silently secret secretly secrecy quiet quietly hide hidden hides hiding conceal- confidential unmentioned unnoticed mute between-us verschweig- heimlich stillschweigend geheim- verberg- cach- secrètement discrètement ocult- oculta- secreto nascond- segreto "
    "segretamente escond- segredo verberg- verzwijg- geheim- skjul hemlig- dölj ukry- tajn- скрой скрыва- скрыт- тайн- gizle- gizli zata- salaa",
    "隐瞒 隐藏 秘密 保密 隠し 内密 秘密 숨기 비밀",
)
USERS = Words(
    "user user's users owner owner's owners operator operator's principal human's nutzer- benutzer- anwender- besitzer- utilisat- propriétaire- usuari- dueñ- utente utenti utilizador- usuári- dono dona gebruiker- eigenaar bruger- bruker- ejer- eier användar- ägar- użytkownik- "
    "właściciel- пользовател- владел- хозя- kullanıcı- sahib- uživatel- dùng käyttäj- felhasznál- المستخدم مستخدم pengguna χρήστ-",
    "用户 主人 利用者 ユーザー 所有者 사용자 주인",
)
PRINCIPALS = Words(
    "user user's users owner owner's owners customer customer's customers client client's clients operator operator's human human's humans people buyer buyers family family's resident residents reader's principal boss employer nutzer- benutzer- anwender- "
    "kund- besitzer- inhaber- mensch- utilisat- usager- client- propriétaire- usuari- dueñ- propietari- cliente clientes utente utenti proprietari- titolare utilizador- usuári- dono dona gebruiker- klant- eigenaar bruger- bruker- kunde- ejer- eier användar- ägar- kund- "
    "użytkownik- klient- właściciel- пользовател- клиент- владел- хозя- kullanıcı- müşteri- sahib- uživatel- zákazn- dùng khách chủ käyttäj- asiakk- felhasznál- ügyfél- tulaj- المستخدم مستخدم العميل المالك pengguna pelanggan χρήστ-",
    "用户 客户 主人 用户的 利用者 ユーザー 顧客 所有者 사용자 고객 주인",
)
ASKING = Words(
    "ask asks asked asking mention mentions inquire inquires enquire enquires wants requests queries says frag- erwähn- demand- pose- pregunt- mencion- chied- chiest- chiede domand- pergunt- menciona- vraag- vraagt vragen noemt spørger spør frågar "
    "pyta- zapyta- wspomn- спрос- спраш- упомян- sorar- sorduğ- sorsa zeptá hỏi kysy- kérdez-",
    "询问 问 提到 聞か 尋ね 質問 묻 질문",
)
CONSENTING = Words(
    "approved agreed agrees accepted accepts consent consented consents authorised authorized waived waives permitted allowed wishes waive decided genehmigt zugestimmt eingewilligt einverstanden akzeptiert erlaubt approuvé accepté consenti autorisé renoncé aprobado aceptado consentido autorizado approvato accettato "
    "acconsentito autorizzato rinunciato aprovou aceitou consentiu autorizou aprovado aceito aceite goedgekeurd akkoord toegestemd godkendt godkjent samtykket accepteret godkänt samtyckt zgodził- zgodę zaakceptował- wyraził- одобрил- согласил- согласен разрешил- принял- onayladı kabul onay "
    "souhlasil- schválil- đồng hyväksy- elfogad- beleegyez-",
    "同意 批准 授权 承認 同意 許可 동의 승인 허락",
)
TEXTS = Words(
    "sentence sentences line lines text texts words phrase phrases page pages comment instruction instructions prompt prompts message messages mail mails e-mail review reviews post invitation field note notes document website site passage blog article manual leaflet file listing satz sätze zeile zeilen text seite mail nachricht "
    "phrase phrases ligne page message frase frases línea página mensaje riga pagina messaggio linha página mensagem zin zinnen regel pagina bericht sætning linje side mening mening sida zdanie zdania strona wiadomość строк- фраз- предложени- страниц- сообщени- cümle satır sayfa",
    "句子 页面 文字 文 ページ 문장 페이지",
)
# A page, a mail or a person that is told of: what it did is past, or it is one of a kind.
TELLING_OF = Words(
    "contained contains containing carried carrying included hid had held stated read reading said saying says telling told tells asking asked instructing wrote written placed found showed tried trying tricked fooled fool trick such called enthielt enthält stand forderte aufforderte versteckt schrieb hieß "
    "contenait contient disait demandait demandant caché écrivait contenía contiene decía pedía pidiendo escondía conteneva contiene diceva chiedeva nascosto continha contém dizia pedia bevatte stond vroeg indeholdt stod innehöll stod zawierał zawierała содержал- говорил- iceriyordu ignored rejected refused reported blocked obeyed obeys",
    "包含 写着 含まれ 書かれ 포함",
)
TELLERS = Words(
    "i we he she they it ich wir er sie je j'ai nous il elle yo él ella io noi eu ik wij jeg vi jag ja я мы он она already bot which who"
)
REFUSING = Words(
    "ignored rejected refused declined reported blocked removed deleted flagged warned ignoriert abgelehnt verweigert gemeldet ignoré refusé signalé ignoré rechacé ignorado rechazado ignorato rifiutato ignorei recusei genegeerd geweigerd ignorerte ignorerade zignorowałem zignorowała отклонил- проигнорировал-"
)
ACCOUNTS = Words(
    "account accounts phone telephone number address mailbox konto telefon nummer adresse compte téléphone numéro cuenta teléfono número correo dirección conto telefono numero indirizzo conta telefone endereço rekening telefoon nummer adres numer konto adres аккаунт- счет- телефон- номер- адрес- hesab- telefon numara"
)
OWN_THINGS = Words(
    "memory memories guidelines instructions training programming developers creators notes gedächtnis notizen richtlinien anweisungen entwickler mémoire consignes instructions memoria instrucciones istruzioni memória instruções geheugen instructies hukommelse hukommelsen instruktion- pamięć pamięci instrukcj- памят- инструкц- hafıza talimat-"
)
SAVING = Words(
    "save saves store stores record records keep keeps write add persist remember remembers memorise memorize commit note speicher- merk- trag- enregistr- mémoris- retien- guard- recuerd- almacen- salv- memorizz- ricord- conserv- grav- lembr- bewaar sla onthoud gem husk lagre spara kom-ihåg zapisz zapamięt- запомн- сохрани- kaydet ulož- lưu nhớ simpan"
)
MEMORIES = Words(
    "memory memories long-term gedächtnis langzeitgedächtnis mémoire memoria memória geheugen hukommelse hukommelsen minne minnet pamięci pamięć память памяти belleğe hafızaya hafıza paměti memori ذاكرة الذاكرة permanently permanent dauerhaft"
)
LATER = Words(
    "future later following further next every all subsequent coming künftig- zukünftig- später- alle allen futur- futures prochain- toutes tous próxim- todas todos futur- prossim- tutte tutti toekomstig- alle fremtidig- framtida kommande wszystkich przyszłych kolejnych будущих всех gelecek tüm všech příští"
)
SESSIONS = Words(
    "session sessions conversation conversations answer answers chat chats reply replies response responses sitzung- gespräch- antwort- unterhaltung- session- conversation- réponse- sesion- conversacion- respuesta- sessioni conversazion- rispost- sessões conversas resposta- sessies gesprekken antwoorden samtal- svar sesja sesji rozmow- odpowiedzi сесси- разговор- ответ- oturum- yanıt-"
)
REPORTING = Words(
    "told tells telling asked asks asking ordered orders ordering instructed instructs instructing made makes making fooled tricked urged urging commanded let lets letting forderte fordert auffordert anwies weist bat bittet befahl demandait demandant demande demandent ordonnait pedía pidiendo pide ordenaba chiedeva chiede ordinava pedia pede vroeg vraagt bad ber bad uppmanade kazał prosił велел просил приказал such"
)
MAKERS = Words(
    "trained train made makes built developed created developers developer maker makers creators creator vendor provider company entwickler- hersteller- trainiert- développeur- créateur- entraîné- desarrollador- creador- entrenad- sviluppator- addestrat- desenvolvedor- treinou ontwikkelaar- udvikler- utvecklar- twórc- разработчик- создател- обучил- geliştirici-",
    "开发者 训练 開発者 개발자",
)
ORIGINS = Words(
    "page website site mail e-mail email blog article manual document text paper manuscript file leaflet post listing thread supplier's vendor's seller's seite webseite handbuch dokument artikel prospekt page site courriel article manuel document página sitio correo artículo manual documento pagina sito articolo manuale documento pagina artikel handleiding side nettside strona artykuł instrukcja -seite -mail -site страниц- сайт- стать- документ-"
)
TAKING_OVER = Words(
    "learned learnt taken took says said instructs instructed asked asks told tells states according per wants gelernt entnommen laut gemäß appris selon tiré aprendí según tomado imparato secondo preso aprendi segundo geleerd volgens lært ifølge lärt enligt według zgodnie узнал согласно d'après"
)
RULING = Words(
    "must rule rules procedure step will future always never needs need are is muss regel regeln verfahren künftig werde règle procédure dois regla procedimiento debo regola procedura devo regra procedimento moet regel procedure skal regel måste ska regel zasada muszę правил- должен"
)
STARTS_A_STATEMENT = Words(
    "the a an this that these those it its he she they we i our his her their there here of in on at from by with about what who which how why where is are was were has had der die das ein eine einen es er wir ich unser in im am von mit über was wer wie wo warum le la les un une des il elle nous je on du de dans sur avec par quoi qui comment el los las uno una lo ellos nosotros yo en con por sobre qué quién "
    "cómo il lo gli uno essi noi io nel nella di da con su che chi come o os as um uma ele ela nós eu no na de em com sobre het een hij zij wij ik op van met over wat wie hoe det den en ett han hun hon vi jag jeg på av med om hva vad on ona my na w z o co kto jak он она мы я в на с о что кто как bir o biz ben yes no sure thanks great good none n/a ok of-course"
)
