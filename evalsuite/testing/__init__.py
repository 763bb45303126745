"""Tools that tests and benchmarks run against: real servers that misbehave on purpose."""
