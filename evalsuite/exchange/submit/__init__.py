"""A run as a folder that others can add to a shared leaderboard, and what can be verified of such a folder.

    submission.yaml    who, what, licence, contamination; written by people (form.py)
    results.json       as the run has it
    manifest.json      the same without paths and facts of the submitter's machine (submission.py)
    records/*.jsonl.gz, judged/*.jsonl.gz     the evidence (submitted.py reads it back)
    SHA256SUMS         of all of these but submission.yaml; `sha256sum -c` reads it

verdict.py is what `evalsuite submit check` does: files.py, record_checks.py and data.py hold its parts. See docs/submit.md.
"""
