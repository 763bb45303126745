"""Review of a run's replies: by a judge model (judge/) and by people (audit/)."""
