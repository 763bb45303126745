"""What every stage uses: errors, files, JSON lines, dialogues, the terminal."""
