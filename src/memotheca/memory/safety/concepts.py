"""Concepts that meet where a text speaks to a model instead of a reader, by how their words begin in many languages."""

# ruff: noqa: RUF001, E501 (letters of many scripts, some of them wide)

import re
from collections.abc import Iterator
from functools import lru_cache

from memotheca.memory.safety.disguises import undisguise
from memotheca.model.knowledge import fold

# Beginnings of words; a trailing full stop asks for the whole word. Scripts without blanks are matched anywhere.
_WORDS: dict[str, str] = {
    "ignore": """ignor disregard forget. forgets forgetting forgot. overrid. override overrides overriding bypass overlook neglect.
        cancel. nevermind. dismiss. discard. drop. erase. abandon. skip. supersede omit. circumvent unlearn. scrap. violate. disobey. regardless. zaboravi zanemari
        vergiss vergess missacht übergeh überschreib ignorier verwirf olvid pasa. ignora omit omite descarta desestim
        oubli néglig omet ignorez faites_fi dimentic trascur scarta esque desconsider descart negeer vergeet zignoruj ignoruj pomiń
        zapomnij игнор забуд забыт пропуст отмен unut. unutun yoksay yok. görmezden abaikan lupakan hiraukan bỏ. quên.
        glöm bortse strunta ohita unohda zapomeň kalimutan balewalain huwag. pansinin नज़रअंदाज़ अनदेखा भूल उपेक्षा नजरअंदाज ভুলে উপেক্ষা ভুলে تجاهل انس. انسى نسي
        忽略 忽视 无视 忘记 忘掉 忽視 無視 忘れ 무시 잊어 잊으 ละเว้น เพิกเฉย ลืม อย่าไปสนใจ ไม่สนใจ terlepas bağımsız abweichend unabhängig независимо zanemari ignoriraj ігнор забудь. знехту αγνόησ ξέχνα ignoră uită abandonne délaisse abandona""",
    "prior": """previous previously. prior. above. earlier. preceding. before. initial original former everything. all.
        any. foregoing. existing. given. told. said. current. default. vorherig vorangeh bisherig obig vorhin zuvor alle. alles. davor. gesagte anterior previ
        todo. todas. todos. arriba précéd toutes. tous. tout. dessus precedent tutto. tutte. tutti. sopra acima tudo.
        vorige eerdere poprzedn wszystk powyżs wcześniejsz предыдущ вышеуказ прежн всё. все. önceki yukarıdaki bütün.
        tüm. sebelumnya semua. trước. tidigare alla. aiemm edell předchoz všechn nakaraan lahat. पिछले पहले सभी
        पूर्व पिछला আগের পূর্ববর্তী সমস্ত সব السابق كل. جميع 之前 以上 先前 前面 所有 以前 すべて 前の 上記 이전 모든 앞선 ก่อนหน้า ทั้งหมด""",
    "rules": """instruction instructon prompt. prompts. rule. rules. guideline directive command. commands. restriction
        limitation policy. policies. constraint safeguard protocol training. programming. safety. filters. filter. guardrail order. orders. task. tasks.
        assignment configuration. directions. direction. alignment. controls. anweisung befehl auftrag aufträge anordnung
        vorgabe regel. regeln. aufgabe aufgaben instruc orden. órden regla indicacion consigne règle tâche istruzion
        regol comand instruç regra tarea ordre directive opdracht richtlijn polecen instrukcj zasad инструкц указан правил команд
        задан talimat komut görev kural yönerge instruksi perintah aturan petunjuk arahan hướng. dẫn. lệnh.
        instruktion ohjeet ohjei pokyny instrukcij instrukcije. uputstv інструкц правила. οδηγί κανόν instrucțiun reguli vorgaben richtlinien tagubilin utos. panuto निर्देश आदेश নির্দেশ تعليمات اوامر أوامر القواعد التعليمات 指令 指示 规则 命令 提示 要求
        説明 指図 ルール 규칙 지시 지침 명령 คำสั่ง คําสั่ง คำแนะนำ คําแนะนํา""",
    "core": """system. hidden. secret. internal. initial. original. underlying. developer. confidential. core. base. full. exact. verbatim. starting.
        systemprompt system_prompt sistema. sistem. système. systeme. system-prompt oculto oculta secreto secreta interne. internal. geheim versteckt
        системн скрыт 系统 隐藏 内部 システム 시스템 النظام ระบบ sistem gizli""",
    "settings": """configuration. config. setup. settings. prompt. prompts. instruct systemprompt. rules. guidelines. preamble. parameters. knowledge.
        context. conversation. directives. constraints. backend. metaprompt. message. text. tools. functions. capabilities. programming. policy. policies.
        anweisungen prompt-text instrucciones instructions istruzioni instruções инструкци промпт 提示 指令 プロンプト 프롬프트""",
    "machine": """ai. assistant. assistants. chatbot. bot. gpt. chatgpt. llm. openai anthropic claude. gemini. bard. copilot. siri. alexa.
        language_model ki. ia. assistent asistent asistan asistente assistente ассистент помощник 模型 助手 人工智能 アシスタント 인공지능 llms. model. agent. agents. models.
        automated. summarizer reviewer. parser. crawler. scraper. reader.""",
    "reveal": """reveal show. print. output. display. repeat. leak. disclose. expose. dump. share. recite. summarize. summarise. paraphrase. translate. describe. copy. paste.
        echo. return. provide. give. tell. list. spell. encode. extract. zeig. zeige. gib. nenne. verrat wiederhol druck ausgeb muestra mostrar revel repite confirm. retrieve. access.
        imprim dime. affich montre. répèt révèl donne. mostra. mostre. dammi. ripet rivela diga. toon. exhibe. proporciona
        geef. pokaż podaj wypisz покаж раскро выведи повтор назови göster yaz. söyle ver. tampilkan beri. berikan
        ungkapkan sebutkan hiển. cho. visa. näytä ipakita ibigay sabihin दिखा बता দেখা বলুন اعرض اكشف أظهر اطبع اعطني 显示 告诉 输出 透露 重复 打印 提供
        表示 教えて 出力 보여 알려 출력 제공 แสดง บอก""",
    "ask": """what. which. what's whats. was. welche. qué. que. cuál. quel. quelle. quelles. quali. quale. quais. qual. какие какой что. 什么 何 ne. nedir apa. ano.""",
    "secret": """password. passwords. passcode secret. secrets. confidential. credential credentials api-key apikey key. keys. token. tokens. private. ssn. pii. personal. sensitive. cookies. cookie.
        kennwort passwort contraseñ clave. secreto confidencial confidentiel segredo senha. parola. balance. email-address
        wachtwoord hasło hasła parol парол секрет şifre gizli sandi. rahasia mật. lösenord
        salasan heslo पासवर्ड गुप्त পাসওয়ার্ড গোপন كلمة سرية سري المرور 密码 秘密 机密 口令 パスワード 비밀번호 비밀 ความลับ รหัสผ่าน data. records. history. conversation. conversations.
        emails. messages. files. documents. transcript. address. bank. account. accounts. card.""",
    "role": """act. acting. pretend pretending. roleplay role-play roleplaying simulate. simulating. persona. impersonat behave. imagine. embody. emulate. become. respond_as
        character. fiktiv rolle. spiel. spiele. actúa actua. finge. simula. papel. imagina jouer joue. prétend rôle. agis. comporte fingi. recita. ruolo. immagina atue. finja. aja.
        rola. udawaj притвор представь роль. играй rolü davran taklit berpura bertindak bayangkan đóng. vai.
        låtsas näyttele magpanggap kumilos भूमिका अभिनय অভিনয় ভূমিকা تظاهر تصرف دور 扮演 假装 模拟 角色 想象 ふり 演じ 역할 연기 สวมบทบาท""",
    "mode": """mode. modus. modo. modalità режим. 模式 モード 모드 โหมด mod. jailbreak jailbroken. dan. unlocked. unlock. sudo. root. debug. maintenance. activated. enabled. activate. enable. engage. entering.""",
    "free": """unrestricted. uncensored. unfiltered. unlimited. unbound. amoral. censor censorship. ethic ethics. ethical. moral. morals. morality. illegal. unethical. immoral.
        harmful. restriction. restrictions. limits. limitation limitations. boundaries. guardrail guardrails. anything. filters. filter. constraints. bound. offensive. legality. nsfw. safety. safeguards.
        einschränk ethisch moralisch restriccion ético ética. límite limites. éthique restrizion etic restriç ограничен этич морал
        sınır etik kısıt batasan etis đạo. प्रतिबंध नैतिक قيود اخلاق أخلاق 限制 道德 伦理 非法 制限 倫理 제한 윤리""",
    "without": """no. not. without. never. free. ignores. regardless. lifted. removed. disabled. disable. none. sans. sin. ohne. senza. sem. без. tanpa. walang. không. नहीं بدون 没有 不受 无 なし 없이 없는 beyond. outside. doesn't don't isn't""",
    "now": """now. instead. henceforth. onwards. onward. hereby. jetzt. stattdessen nun. ahora. maintenant. plutôt. désormais adesso. invece. ora.
        agora. nu. teraz zamiast теперь вместо отныне şimdi yerine bunun. sekarang gantinya bây. thay. istället sijaan ngayon halip.
        अब बजाय এখন পরিবর্তে الآن بدلا 现在 改为 而是 从现在 今から 代わり 지금 대신 ตอนนี้ แทน from_now""",
    "new": """new. updated. additional. revised. following. real. actual. true. neue. neuen. neuer. folgende. nuevo nueva nouvelle nouveau nouveaux nuovo nuova nuove novo. nova. novas. nowe новы новая yeni baru. bago. नया নতুন جديد 新的 新 新しい 새로운 ใหม่ important. urgent. special. next.""",
    "you": """you. your. yours. yourself. you're you'll you've ur. u. du. dein deine deinen dir. dich. ihr. ihre. ihren. sie. tú. ti.
        tu. tus. usted. eres. vous. votre. vos. toi. ton. tes. voi. tuo. tua. tuoi. tue. sei. você. vocês seu. sua. suas. teu. jij. je.
        jouw. twoje. twój ty. jesteś ты. вы. твой. твои. ваши. вам. вас. sen. sana. senin. anda. kamu. mu. bạn. din. dina. iyong ikaw. mo. ka. ninyo
        आप तुम আপনি আপনার তুমি انت أنت لك 你 您 あなた 君 당신 너 คุณ""",
    "me": """me. i. my. we. us. mir. ich. mein yo. mi. moi. je. mon. io. mio. eu. meu. мне. я. mój ben. bana. saya. aku. tôi. ako. akin. मुझे मैं আমাকে لي 我 私 나 내 ฉัน""",
    "say": """say. says. saying. respond. response. responses. answer. answers. reply. replies. write. state. print. output. claim. report. conclude. declare. start. begin. end. append include. add. insert. mention.
        sag. sage. sagen. sagt. schreib schreibe antwort. antworte. di. dices. diga. escribe responde. contesta dis. dites. écri répond indique scrivi dici. dì. rispondi afferma afirm escreva imprima zeg.
        schrijf antwoord powiedz napisz podaj скаж напиш ответ выведи söyle belirt yanıt cevap yaz. yazdır katakan tulis jawab nyatakan cetak
        nói. viết. trả. in. skriv säg svara sano kirjoita sabihin isulat i-print कह कहें लिख उत्तर जवाब বলুন লিখ উত্তর قل اكتب أجب 说 回答
        写 回复 说明 打印 言って 書いて 答え 말해 답 써 พูด ตอบ เขียน ระบุ""",
    "only": """only. just. exactly. nothing. verbatim. simply. nur. bloß. einfach solo. sólo. solamente. seulement. juste. soltanto. apenas. somente. alleen. tylko только sadece hanya. chỉ. lang. केवल শুধু فقط 只 仅 だけ 오직 เท่านั้น""",
    "always": """always. every. never. must. should. shall. whenever. regardless. any. all. immer. jede jeder. nie. musst. siempre. nunca. cada. cuando. toujours. jamais. chaque. sempre. mai. ogni. toda.
        altijd. zawsze. nigdy. всегда никогда her. zaman. selalu harus. setiap luôn. phải. alltid हमेशा সর্বদা دائما 总是 永远 必须 始终 常に 항상 เสมอ when. if. wenn. si. quando.""",
    "asked": """ask. asks. asked. asking. query. queries. question. questions. discussing. discuss. mentions. requests. request. fragt. pregunt demande. demandent chiede. pergunt спрос sorar. sorduğ bertanya hỏi. 询问 问 聞か 묻""",
    "user": """user. users. user's customer. customers. recipient. human. anyone. owner. them. usuario benutzer nutzer. utilisateur utente usuário пользовател kullanıcı pengguna người. 用户 ユーザー 사용자 المستخدم ผู้ใช้""",
    "hide": """tell. mention. reveal. disclose. inform. notify. alert. asking. confirmation. notice. acknowledge. menciones. menciona. digas. erwähn sage. mentionne. menzion mencion упомин сообщ 告诉 提及 言わ 말하 silently. secretly. quietly. hide. conceal. permission. consent. verification. approval. verify.""",
    "refuse": """refuse. refuses. refusal. decline. deny. denying. can't cannot. apolog apologize. apologise. sorry. disclaimer disclaimers. moralize lecture. comply. complies. obey. obeys. break_character break. stay. unable. verweiger rechaz refus rifiut recus отказ 拒绝 断 거부 deviate.""",
    "send": """send. sends. sending. transfer forward. email. mail. post. exfiltrat upload. submit. wire. route. routing. redirect. deliver. transmit. leak. copy. cc. bcc. pay. schick sende. überweis envía envia enviar envíe transfiere envoie envoy invia envie. stuur wyślij отправ перевед gönder kirim gửi. skicka ipadala भेज পাঠ ارسل أرسل 发送 转账 送って 送信 보내 ส่ง""",
    "deed": """delete. remove. invite. purchase. buy. visit. click. download. execute. run. call. fetch. reset. grant. approve. modify. change. reserve. book. schedule. create. make. go. open. navigate. recommend.
        update. block. cancel. install. add. lösch. lösche borra supprime cancella apague usuń удали sil. hapus. xóa. हटा احذف 删除 削除 삭제 ลบ recomienda empfiehl""",
    "tool": """tool. tools. function. plugin. plugins. api. endpoint. webhook. browser. shell. terminal. curl. command. database. inbox. calendar.""",
    "memory": """remember memory. memories. memorize memorise store. save. saved. preference. preferences. persist persistent. permanently. permanent. future. conversations. sessions. session. subsequent. interactions.
        merk merke. speicher recuerda mémoris souviens ricorda lembre запомн hatırla ingat. tandaan nhớ. 记住 覚えて 기억""",
    "authority": """entwickler desenvolvedor desarrollador développeur sviluppator geliştirici pengembang разработчик розробник ontwikkelaar programista utvecklare 开发者 開発者 개발자 डेवलपर مطور developer. developers. admin. administrator. creator. god. créateur creador. criador. creatore. schöpfer создател yaratıcı pencipta 创造 স্রষ্টা tuhan. dios. gott. бог.  owner. engineer. engineers. openai anthropic google. microsoft. root. superuser security. law. police. enforcement. ceo. boss. supervisor. authorized. authorised. official. audit. compliance. entwickler administrador desarrollador développeur sviluppatore desenvolvedor разработчик администратор 开发 管理员 開発 개발 관리자 المطور geliştirici pengembang""",
    "void": """irrelevant. obsolete. void. outdated. deprecated. replaced. replace. replaces. superseded. invalid. lifted. disabled. disable. suspended. over. wrong. hinfällig ungültig nichtig anulad inválid irrelevante annul недействит 无效 作废 無効 무효 cancelled. removed. remove. deactivate. off. incorrectly. incorrect. mistake. mistakenly. correct. error.""",
    "decode": """decode. decoded. decrypt. decipher. base64. rot13. hex. hexadecimal. binary. reverse. reversed. backwards. backward. caesar. cipher. morse. ascii. unicode. octal. leetspeak. concatenate. unscramble. rotate. entschlüssel decodifica décode 解码 デコード""",
    "obey": """execute. follow. obey. run. perform. act. comply. do. carry. treat. apply. adhere. führe. befolg sigue. suis. exécut esegui segui siga. выполн 执行 遵循 実行 실행 ทำตาม""",
    "pause": """stop. attention. wait. important. urgent. note. achtung. wichtig. stopp. atención importante. attenzione. важно. внимание 重要 注意 紧急 중요 สำคัญ önemli dikkat. penting. emergency. critical. listen. okay. ok. well. great. good. gut. super. bien. bravo. done. perfect.""",
    "pretext": """hypothetical hypothetically. fictional. fiction. story. novel. movie. game. grandmother. grandma. research. educational. imagine. assume. suppose. pretend. hypothe гипотет 假设 仮定 hipoté hypothé ipote varsayım hipotet हिपोथ কাল্পনিক scenario. dream.""",
    "discuss": """attack. attacks. attacker. attackers. injection. injections. vulnerab malicious. adversarial. adversar jailbreaks. jailbreaking.
        exploit. exploits. defend. defense. defence. mitigat detect. detects. detection. example. examples. e.g.
        paper. researchers. owasp. payload. payloads. technique. techniques. demonstrat article. tutorial. guide. documentation. cve.
        risk. risks. llms. angriff beispiel ejemplo ataque exemple attaque esempio attacco пример атак örnek
        saldırı contoh serangan 攻击 示例 例如 攻撃 例えば 공격 예를""",
}
# The concepts of an act, and within how many words they have to meet.
_ACTS: dict[str, tuple[str, int]] = {
    "override rules": ("ignore rules", 7),
    "override your rules": ("ignore rules you", 8),
    "override prior rules": ("ignore prior rules", 8),
    "override prior": ("ignore prior", 3),
    "void rules": ("void rules", 5),
    "void your rules": ("void rules you", 7),
    "void prior": ("void prior", 6),
    "refuse rules": ("without obey rules", 7),
    "override mode": ("ignore mode", 3),
    "your free purpose": ("you free", 4),
    "correct your rules": ("you rules new", 7),
    "leak your core": ("reveal you core", 5),
    "new rules": ("new rules", 3),
    "new rules now": ("new rules now", 8),
    "rules for you": ("rules you obey", 8),
    "leak your settings": ("reveal you settings", 7),
    "leak core settings": ("reveal core settings", 6),
    "ask your settings": ("ask you settings", 6),
    "ask core settings": ("ask core settings", 6),
    "leak prior": ("reveal prior settings", 7),
    "leak secret": ("reveal secret", 4),
    "leak your secret": ("ask you secret", 6),
    "take role": ("role you", 6),
    "take free role": ("role free", 12),
    "machine role": ("role machine", 6),
    "you are now": ("you now", 3),
    "free of limits": ("without free", 4),
    "you free": ("you without free", 9),
    "machine free": ("machine free", 9),
    "enter mode": ("mode free", 6),
    "mode on": ("authority mode", 4),
    "you mode": ("you mode", 6),
    "never refuse": ("without refuse", 4),
    "always refuse": ("always refuse", 6),
    "hide from user": ("without hide user", 6),
    "do without asking": ("deed without hide", 9),
    "send secret": ("send secret", 7),
    "machine does": ("machine always deed", 8),
    "machine says": ("machine always say", 8),
    "machine sends": ("machine send", 8),
    "addressed machine": ("you machine", 4),
    "memory always": ("memory always", 6),
    "memory says": ("memory say", 8),
    "memory deed": ("memory deed always", 9),
    "when asked say": ("always asked say", 10),
    "when asked deed": ("always asked deed", 10),
    "user always": ("user always say", 9),
    "authority speaks": ("me authority", 4),
    "authority asks": ("authority reveal", 8),
    "your authority": ("you authority", 3),
    "say only": ("only say", 3),
    "say now": ("now say", 5),
    "reveal now": ("now reveal", 5),
    "deed now": ("now deed", 4),
    "ignore and say": ("ignore say", 9),
    "ignore and reveal": ("ignore reveal", 9),
    "ignore and deed": ("ignore deed", 9),
    "ignore now": ("ignore now", 8),
    "decode and obey": ("decode obey", 8),
    "decode rules": ("decode rules", 6),
    "pause and rules": ("pause rules", 5),
    "pause and ignore": ("pause ignore", 6),
    "pretext free": ("pretext free", 12),
    "pretext you": ("pretext you", 7),
    "tool deed": ("tool you deed", 8),
    "tool send": ("tool send", 6),
    "user deed": ("user deed", 5),
    "tell user": ("hide user deed", 8),
}
ACTS = {name: (tuple(spelled.split()), words) for name, (spelled, words) in _ACTS.items()}
_UNSPACED = "\u0900-\u0dff\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
NAMES = tuple(_WORDS)


def _sort_words() -> tuple[dict[str, set[str]], dict[str, set[str]], dict[str, set[str]]]:
    """Whole words, beginnings, and words that are found anywhere, each with its concepts."""
    whole: dict[str, set[str]] = {}
    begun: dict[str, set[str]] = {}
    anywhere: dict[str, set[str]] = {}
    for concept, spelled in _WORDS.items():
        for each in spelled.split():
            word = fold(undisguise(each))
            place = anywhere if _IS_UNSPACED.search(word) else whole if word.endswith(".") else begun
            place.setdefault(word.removesuffix("."), set()).add(concept)
    return whole, begun, anywhere


_WHOLE, _BEGUN, _ANYWHERE = _sort_words()
_LONGEST = max(map(len, _BEGUN))
_anywhere = "|".join(re.escape(word) for word in sorted(_ANYWHERE, key=len, reverse=True))
_TOKEN = re.compile(
    f"(?=[{_UNSPACED}])(?:{_anywhere})|[^\\W_{_UNSPACED}]+(?:['\u2019-][^\\W_{_UNSPACED}]+)*|[.!?:;\n\u3002\uff01\uff1f\u0964]"
)
ENDS = frozenset(".!?:;\n\u3002\uff01\uff1f\u0964")
_NONE: frozenset[str] = frozenset()


@lru_cache(20_000)
def concepts_of(token: str) -> frozenset[str]:
    """The concepts that a folded word or sign stands for."""
    if token in _ANYWHERE:
        return frozenset(_ANYWHERE[token])
    if len(token) > 40:
        return _NONE
    found = set(_WHOLE.get(token, _NONE))
    for length in range(2, min(len(token), _LONGEST) + 1):
        found |= _BEGUN.get(token[:length], _NONE)
    if not found and ("-" in token or "'" in token or "\u2019" in token):
        found |= concepts_of(re.split("['\u2019-]", token)[0])
    return frozenset(found)


def tokens(folded: str) -> Iterator[re.Match[str]]:
    """Words, and the signs at which sentences end."""
    return _TOKEN.finditer(folded)
