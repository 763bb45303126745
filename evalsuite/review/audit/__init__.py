"""People check a run: a sample of its outputs to mark, and what the marks say of the parser, the scores and the judge.

make    RUN -> RUN/audit/NAME/: a page to mark outputs on, the same as CSV and JSONL
read    marks -> the paper's Table 4, parser precision and recall, agreement
"""

from __future__ import annotations

from evalsuite.review.audit.findings import Audit, read
from evalsuite.review.audit.folder import make

__all__ = ["Audit", "make", "read"]
