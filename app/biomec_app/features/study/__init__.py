"""A study in the window: its trials as a table, batch, comparison of groups, report."""
