"""Lexical nearness: words, pairs, phrases and identifiers."""

from memotheca.text.words import identifiers, pairs, query_words, quoted, share, words


def test_words_are_folded_stemmed_and_without_stop_words():
    assert words("The Deployments of Straße") == ["deploy", "strass"]


def test_cjk_runs_become_bigrams_and_split_from_other_letters():
    assert words("308分钟abc数") == ["308", "分钟", "abc", "数"]


def test_other_scripts_without_blanks_become_bigrams_too():
    assert words("ภาษาไทย2") == ["ภา", "าษ", "ษา", "าไ", "ไท", "ทย", "2"]
    assert pairs(words("ภาษาไทย")) == []


def test_signs_that_belong_to_a_word_do_not_part_it():
    assert words("हिन्दी में खोज।") == ["हिन्दी", "में", "खोज"]
    assert words("q\u0323q z") == ["q\u0323q", "z"]


def test_vowels_that_most_people_leave_out_make_no_difference():
    assert words("كِتَابٌ שָׁלוֹם") == words("كتاب שלום") == ["كتاب", "שלום"]


def test_a_question_of_stop_words_only_keeps_them():
    assert query_words("to be or not") == ["to'", "be'", "or'", "not'"]
    assert query_words("to be deployed") == ["deploi"]


def test_pairs_are_neighbours_once_stop_words_are_gone():
    assert pairs(words("rate of error")) == [("rate", "error")]
    assert pairs(words("数据库")) == []


def test_identifiers_and_quotes_are_found_as_written():
    assert identifiers("see parse_config in src/app.py v1.2.3 and CVE-2024-1234.") == [
        "parse_config", "src/app.py", "v1.2.3", "cve-2024-1234",
    ]  # fmt: skip
    assert quoted('say "Error   Rate" twice') == ["error rate"]


def test_a_title_that_says_nothing_else_is_all_what_was_asked_for():
    assert share("Deployments", "deployment") == 1.0
    assert share("Deployment rollback", "deployment") == 0.5


def test_one_letter_keeps_itself_though_its_stem_is_nothing():
    assert words("S tea", keep_stop_words=True) == ["s'", "tea"]
