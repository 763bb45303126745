"""Replies reviewed: by a model (judge/) and by people (audit/)."""
