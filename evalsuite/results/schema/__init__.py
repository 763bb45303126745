"""The values of a run's files, as strict pydantic models: what is computed, written, read and shown.

    base.py      what all of them share       record.py      a line of records/*.jsonl
    cell.py      a cell of results.json       annotation.py  annotations of dialogues (evalsuite build)
    manifest.py  manifest.json                anchors.py     files of anchor items (evalsuite anchors)
    people.py    people.json of a run's audits

The contents of the other keys of results.json are in the files of their analyses (evalsuite/analyses).
"""
