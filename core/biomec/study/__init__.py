"""Many people and trials: what a study folder holds, which trials were analysed, and what they say together."""
