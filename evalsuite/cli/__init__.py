"""The command line, a file per command. Commands parse flags and print; evalsuite's functions do the work."""
