"""CIDER: dialogue-level NLI, spans and relations of commonsense explanations, in five folds."""
