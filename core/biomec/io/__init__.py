"""Files in and out: readers and writers of every format a laboratory has."""
