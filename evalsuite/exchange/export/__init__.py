"""Tasks as a folder that lm-evaluation-harness or inspect_ai runs, with our prompts, parsers and metrics.

task_folder  `evalsuite export`: items and prompts -> a folder
cells        the unit of an export: one task, set and wording, with its rows of data
lm_eval      writes the files that lm-evaluation-harness needs
inspect_ai   writes the files that inspect_ai needs
callbacks    functions that the exported code calls to parse and score replies
shipped/     the exported code: copied as it is, never imported here
"""
