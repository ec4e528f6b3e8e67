"""Reference mechanisms with known answers, used alike by tests, examples and benchmarks."""
