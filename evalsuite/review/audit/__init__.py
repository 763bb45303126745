"""Human audit of a run: people mark a sample of its outputs; the marks measure the parser, the metrics and the judges.

make_sample        RUN -> RUN/audit/NAME/: a page on which to mark outputs, and the same rows as CSV and JSONL
summarize_marks    marks -> the paper's Table 4, the parser's precision and recall, agreement
write_answer_page  a benchmark's items -> a page on which a person answers them, as a model would
"""

from __future__ import annotations

from evalsuite.review.audit.answering import AnswerPage, write_answer_page
from evalsuite.review.audit.audit_report import Audit, summarize_marks
from evalsuite.review.audit.folder import make_sample
from evalsuite.review.audit.outputs import baselines_beside

__all__ = ["AnswerPage", "Audit", "baselines_beside", "make_sample", "summarize_marks", "write_answer_page"]
