"""What goes on paper, without a window: statistics, comparison, agreement, report content, tables and files."""

from biomec.reporting.files.analysis_files import summary, write_analysis

__all__ = ["summary", "write_analysis"]
