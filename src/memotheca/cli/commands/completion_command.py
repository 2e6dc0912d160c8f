"""memotheca completion: let a shell complete commands and options."""

import argparse

from memotheca.cli.main import COMMANDS, build_parser, load_command
from memotheca.cli.terminal import print_json

EPILOG = """examples:
  memotheca completion bash >> ~/.bash_completion
  memotheca completion zsh > "${fpath[1]}/_memotheca"
  memotheca completion fish > ~/.config/fish/completions/memotheca.fish"""

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that is to complete")


def run(parsed: argparse.Namespace) -> int:
    words = {name: _words(name) for name in COMMANDS}
    if parsed.json:
        print_json(words)
        return 0
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[parsed.shell](words))
    return 0


def _words(name: str) -> list[str]:
    """The options of a command, and the words that one of its arguments may be."""
    parser = build_parser(name, load_command(name))
    # argparse has no other way to tell what a parser takes.
    actions = parser._actions  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    options = [option for action in actions for option in action.option_strings if option.startswith("--")]
    choices = [str(word) for action in actions if not action.option_strings for word in action.choices or ()]
    return [*choices, *options]


def _bash(words: dict[str, list[str]]) -> str:
    cases = "\n".join(f'    {name}) words="{" ".join(each)}" ;;' for name, each in words.items())
    return f"""_memotheca() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words
  case "${{COMP_WORDS[1]}}" in
{cases}
    *) words="" ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="{" ".join([*words, "help", "version"])}"
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _memotheca memotheca"""


def _zsh(words: dict[str, list[str]]) -> str:
    listed = "\n".join(f"    '{name}:{_quoted(doc)}'" for name, doc in COMMANDS.items())
    cases = "\n".join(f"    {name}) compadd -- {' '.join(each)} ;;" for name, each in words.items())
    return f"""#compdef memotheca
_memotheca() {{
  local -a commands
  commands=(
{listed}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "$words[2]" in
{cases}
  esac
  _files
}}
_memotheca "$@\""""


def _fish(words: dict[str, list[str]]) -> str:
    lines = [
        f"complete -c memotheca -n __fish_use_subcommand -a {name} -d '{_quoted(doc)}'"
        for name, doc in COMMANDS.items()
    ]
    for name, each in words.items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        lines += [
            f"complete -c memotheca {seen} " + (f"-l {word[2:]}" if word.startswith("--") else f"-a {word}")
            for word in each
        ]
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """Within single quotes of either shell, and without the colon that parts a name from its description."""
    return text.replace("'", "").replace(":", " -")
