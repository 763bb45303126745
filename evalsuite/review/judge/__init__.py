"""A model judges a run's generated replies, under controls that measure how far its scores can be trusted.

judging.py   `evalsuite.judge(...)`: candidates -> prompts -> replies in the run's store
rubric.py    the prompt template with its scales
attacks.py   injected instructions
settings.py  the flags of `evalsuite judge`

Replies are scored and summarized in analyses/judged/.
"""
