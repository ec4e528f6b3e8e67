"""What goes on paper: agreement, statistics and comparisons."""
