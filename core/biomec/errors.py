"""Errors that Biomec raises on purpose: every one is a sentence a user can act on."""


class BiomecError(Exception):
    """Base of all errors raised on purpose. The message says what, where, and what to do."""


class DescriptionError(BiomecError):
    """A mechanism description that cannot be built; the message names the body or joint."""
