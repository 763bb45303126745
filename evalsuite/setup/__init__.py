"""The steps before a first run: survey the machine, write a first models.yaml (`evalsuite init`), and list what each
function still lacks (`evalsuite doctor`).

machine.py    servers, keys, GPUs, CPU, memory and disk, as found; nothing is loaded and nothing leaves the machine
packages.py   the packages that are installed, against the ranges of evalsuite's own metadata
entries.py    an entry of models.yaml from a few answers
benchmark.py  a first benchmark file from the columns of a data file
checks.py     rows of what is there, what is missing, and the command that mends it
"""
