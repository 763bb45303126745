"""`python -m tools.generated`."""

from tools.generated import write

write()
