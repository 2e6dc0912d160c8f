"""At a terminal a person decides about what conversations propose to be remembered."""

import io
import json

BADGE, BERLIN = "Ada's badge number is 4711.", "From now on, answer me in German."


def test_a_person_is_asked_in_a_review_and_can_take_it_back(run, tmp_path, monkeypatch):
    lines = [
        {"type": "user", "uuid": f"m{n}", "sessionId": "s", "message": {"role": "user", "content": text}}
        for n, text in enumerate((f"Remember that {BADGE}", BERLIN, "Never push directly to main."))
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert "3 things said in it may be worth remembering" in " ".join(run("import", path)[1].split())
    assert "somebody told it as a preference in c-1#2" in " ".join(run("memory")[1].split())
    monkeypatch.setattr("sys.stdin", io.StringIO("a\nd\nx\na\nu\ns\n"))
    code, out, err = run("memory", "--review")
    assert (code, err) == (0, "")
    assert "Choose one of the letters." in out
    assert "2 decided." in out
    told = run("search", "badge number Ada")[1]
    assert "4711" in told
    assert run("show", "c-1")[0] == 0
