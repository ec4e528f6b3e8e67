"""What an analysis leaves in files: its folder of results, tables, a summary, and formats of other programs."""
