"""Errors that Biomec raises on purpose: every one is a sentence a user can act on."""


class BiomecError(Exception):
    """Base of all errors raised on purpose. The message says what, where, and what to do.

    remedy : what the message advises, as a word that the command line knows an option for: ``model``, ``static``,
             ``overwrite``; and the value that would do, if it is known
    """

    def __init__(self, message: str = "", remedy: tuple[str, str] | None = None) -> None:
        super().__init__(message)
        self.remedy = remedy


class FileError(BiomecError):
    """A file that cannot be read or written as it should be; the message starts with the file's name."""

    def __init__(self, file: str, fault: str, remedy: tuple[str, str] | None = None) -> None:
        super().__init__(f"{file}: {fault}", remedy)
        self.file = file
        self.fault = fault


class DescriptionError(BiomecError):
    """A description that cannot be used (mechanism, marker set, profile); the message names the item at fault."""
