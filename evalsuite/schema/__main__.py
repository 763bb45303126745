"""`python -m evalsuite.schema`: write schema/*.schema.json anew."""

from evalsuite.resources import bundled
from evalsuite.schema import write

write(bundled("schema"))
