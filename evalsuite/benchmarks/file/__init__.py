"""A benchmark as one YAML file: its format, the rows of its data, and the items that they become (docs/benchmark_file.md)."""
