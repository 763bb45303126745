"""CORECODE: commonsense reasoning over Chinese dialogues, eight tasks, EASY and HARD."""
