"""Draw sheets and items: on the terminal, and as CSV, LaTeX and Markdown."""
