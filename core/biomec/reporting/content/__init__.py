"""What report and configuration say: sentences and tables, without paper or window."""
