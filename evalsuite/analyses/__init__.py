"""Analyses of scored cells: a file for each, with the model of its content, its computation and its sheets.

table.py lists them. journey.py scores a run's replies and writes results.json; saved.py reads that file.
"""
