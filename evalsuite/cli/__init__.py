"""The command line, a file a command. Commands parse flags and print; evalsuite's functions do the work."""
