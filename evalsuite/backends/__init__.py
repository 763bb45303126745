"""Requests -> Responses. A new backend is a module with a class that has the methods of `base.Backend`, and a row in
registry.py; of another package, an entry point `evalsuite.backends` that gives such a row.

Heavy imports (torch, vllm, openai, ray) stand inside the modules' functions, never at the top.
"""
