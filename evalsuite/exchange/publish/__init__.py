"""A run's results for other tools: `evalsuite export RUN --to …` (docs/frames.md).

export    `evalsuite.export_results`: the table of tools
tables    Parquet and Arrow files, one a table
hf_card   the model-index block of a model's card on the Hugging Face Hub
logged    the values that are logged of a model: parameters, metrics, tags and files
trackers  log them to Weights & Biases, MLflow or SwanLab
"""
