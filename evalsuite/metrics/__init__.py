"""Metrics of answers, with their sources in docs/metrics.md.

    rows.py                  the metrics, a row each: names, presentation, computation
    exact.py                 one answer against its references, in plain Python
    texts.py                 all text metrics of a corpus under a profile (profiles.py), which share tokens and counts
    statistics.py            intervals and tests, from sums over items

Importing `rows` loads neither numpy nor jieba: scoring loads numpy, and jieba if the profile uses it.
"""
