"""The desktop program of Biomec: it calls the library and shows the result."""
