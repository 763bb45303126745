"""CORECODE for other harnesses: tasks that lm-evaluation-harness or inspect_ai run, with our prompts and our reading.

task_folder items and prompts of a run -> a folder
lm_eval     the folder as lm-evaluation-harness wants it
inspect_ai  the folder as inspect_ai wants it
callbacks   what the exported code calls there, to read and score replies
shipped/    that code: copied as it is, never imported here
"""
