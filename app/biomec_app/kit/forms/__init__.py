"""Forms made from the metadata of options: a row for every field, what is entered, what differs from the default."""
