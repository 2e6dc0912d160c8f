"""What somebody sees who types the bare command: what this is, and what to do next."""

from memotheca import __version__
from memotheca.cli.layout import wrap
from memotheca.cli.terminal import styled
from memotheca.views.shells import spell_command, typed_program

STEPS = (
    ("Tell your client about it (memotheca help connect names ten):", ("connect", "claude-code", "--write")),
    ("Or keep something from here, and find it again:", ("remember", "We release on Tuesdays.")),
    ("", ("search", "when do we release?")),
    ("Or look at everything in a browser:", ("open",)),
    ("Or let several clients share one server:", ("serve", "--transport", "http")),
)
SAYING = 'Then say to your agent: "Remember that we release on Tuesdays, and why."'


def welcome() -> str:
    """The next steps, each as it can be pasted."""
    lines = wrap(f"{styled('Memotheca', 'bold')} {__version__} keeps what you and your agents know, on this machine.")
    for told, words in STEPS:
        lines += ["", *wrap(told)] if told else []
        lines += [f"  {line}" for line in spell_command([*typed_program(), *words])]
        if words[0] == "connect":
            lines += wrap(SAYING)
    last = "A client that starts it is served over stdio. memotheca help lists every command."
    return "\n".join([*lines, "", *wrap(last)])
