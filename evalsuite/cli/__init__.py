"""The command line: a file a command. What a command does stands in the function of the same name."""
