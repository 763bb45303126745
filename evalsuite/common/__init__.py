"""Code that several stages use: errors, files, JSON lines, CSV, dialogues, tables, the terminal, plugins."""
