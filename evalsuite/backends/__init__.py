"""Models: Requests -> Responses.

A new backend is a module with a class that implements `base.Backend`, and a row in registry.py; in another package, an
entry point in the group `evalsuite.backends` that refers to such a row.

Heavy imports (torch, vllm, openai, ray) stand inside functions, never at the top of a module.
"""
