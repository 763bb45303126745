"""A model as judge of a run's generations, and how far it can be trusted.

rubric.py: template, scales, fences · replies.py: a reply -> scores · attacks.py: injected instructions
judging.py: the journey on one page · summary.py: store -> "judged" of results.json · controls.py, agreement.py: statistics

`evalsuite.judge(...)` is the function in judging.py.
"""
