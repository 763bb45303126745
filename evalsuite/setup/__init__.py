"""What stands before the first run: finding out what this machine has, a first models.yaml (`evalsuite init`), and what is missing
for what (`evalsuite doctor`).

machine.py    servers, keys, GPUs, CPU, memory and disk, as found; nothing is loaded and nothing leaves the machine
packages.py   the packages that are installed, against the ranges of evalsuite's own metadata
entries.py    an entry of models.yaml from a few answers
checks.py     rows of what is there, what is missing, and the command that mends it
"""
