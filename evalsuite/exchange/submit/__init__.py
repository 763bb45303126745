"""Submissions: a run as a folder for a shared leaderboard, and the check of such a folder.

    submission.yaml    submitters, licence, contamination; people fill it in (form.py)
    results.json       a copy of the run's
    manifest.json      the run's, without paths and facts of the submitter's machine (submission.py)
    records/*.jsonl.gz, judged/*.jsonl.gz     a line per request (source.py reads them back)
    SHA256SUMS         of all files but submission.yaml; `sha256sum -c` reads it

verdict.py is `evalsuite submit check`; files.py, record_checks.py and data.py are its parts. See docs/submit.md.
"""
