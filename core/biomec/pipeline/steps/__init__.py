"""The steps of an analysis, a module for each, named as the step: pure functions of recordings, results, settings."""
