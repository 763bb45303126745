"""Everything that is computed over scored cells: a file per analysis, with its values, its computation and its sheets.

table.py is the table of them; journey.py leads from replies to results.json, saved.py back from the file.
"""
