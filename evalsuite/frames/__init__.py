"""A run as data frames: `evalsuite.load` (docs/frames.md).

columns    a column, and how its value is read from a row of results.json or of records; made from results/schema/
tables     the tables of results.json: every list and every mapping in it, with the keys of the row that holds it
replies    the tables of records/, judged/ and second/: one row per reply
drawn      the sheets of `evalsuite show`, one row per cell
libraries  pandas, polars, pyarrow: which are installed, and columns of values as a frame of theirs
run        `load`, and the Run that it gives
"""
