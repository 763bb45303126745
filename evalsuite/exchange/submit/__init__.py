"""A run as a folder that others can add to a shared leaderboard, and what can be verified of such a folder.

    submission.yaml    who, what, licence, contamination; written by people (form.py)
    results.json       as the run has it
    manifest.json      the same without paths and facts of the submitter's machine (making.py)
    records/*.jsonl.gz, judged/*.jsonl.gz     the evidence (store.py reads it back)
    SHA256SUMS         of all of these but submission.yaml; `sha256sum -c` reads it

check.py is what `evalsuite submit check` does: files.py, lines.py and data.py hold its parts. See docs/submit.md.
"""
