"""The desktop program of Biomec: it calls the library and shows the result. No numerics live here."""
