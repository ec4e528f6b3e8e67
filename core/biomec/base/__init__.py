"""What everything shares: array types, compiling, errors, notices, progress, TOML, physical constants."""
