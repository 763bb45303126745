"""Response -> scored cells: the store, reading, scoring, records, and the values of a run's files."""
