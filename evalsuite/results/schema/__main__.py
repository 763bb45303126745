"""`python -m evalsuite.results.schema`: write schema/*.schema.json."""

from evalsuite.common.resources import bundled
from evalsuite.results.schema import write_schemas

write_schemas(bundled("schema"))
