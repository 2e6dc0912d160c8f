"""Commands are run here as in the tests of the command line."""

from tests.cli.conftest import invoke, run

__all__ = ["invoke", "run"]
