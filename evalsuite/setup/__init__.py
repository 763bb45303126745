"""The steps before a first run: a survey of the machine, a first models.yaml (`evalsuite init`), and a list of what is missing
(`evalsuite doctor`).

machine.py    servers, keys, GPUs, CPU, memory and disk; loads no model
packages.py   installed packages, against the ranges of evalsuite's own metadata
entries.py    entries of models.yaml from a few answers
benchmark.py  a first benchmark file from the columns of a data file
checks.py     the rows of `evalsuite doctor`
"""
