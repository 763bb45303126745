"""Code that every stage uses: errors, files, JSON lines, CSV, dialogues, tables, the terminal, plugins."""
