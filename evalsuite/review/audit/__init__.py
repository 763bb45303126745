"""Human audit of a run: people mark a sample of its outputs; the marks measure the parser, the metrics and the judges.

make_sample      RUN -> RUN/audit/NAME/: a page on which to mark outputs, and the same rows as CSV and JSONL
summarize_marks  marks -> the paper's Table 4, the parser's precision and recall, agreement
"""

from __future__ import annotations

from evalsuite.review.audit.findings import Audit, summarize_marks
from evalsuite.review.audit.folder import make_sample

__all__ = ["Audit", "make_sample", "summarize_marks"]
