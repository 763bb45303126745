"""Reading answers out of anything a model says.

    raw reply -> strip -> segment -> mentions -> commit -> option (weigh, decide)
                                  -> span
                        runs of names -> options (sets)

Each stage is a module and can be tested alone. The rules that the docstrings cite are those of the held-out sets.
"""

from evalsuite.parse.option import Choices, parse_option
from evalsuite.parse.options import parse_options
from evalsuite.parse.sentence import parse_sentence
from evalsuite.parse.span import parse_span
from evalsuite.parse.verbatim import parse_verbatim

PARSER_VERSION = "2"

__all__ = ["PARSER_VERSION", "Choices", "parse_option", "parse_options", "parse_sentence", "parse_span",
           "parse_verbatim"]  # fmt: skip
