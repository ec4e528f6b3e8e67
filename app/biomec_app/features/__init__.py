"""What the program can do beyond showing a recording; each feature registers its parts in one table."""
