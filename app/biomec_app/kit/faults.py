"""What went wrong in the background, as a sentence."""

from __future__ import annotations

from biomec.base.errors import BiomecError


def fault_told(fault: BaseException | None, failed: str) -> str:
    """A fault as a sentence; one that is not the user's is named as the program's.

    failed : what did not work, such as "The figure cannot be drawn"
    """
    if isinstance(fault, BiomecError):
        return str(fault)
    return f"{failed} because of an error in Biomec ({type(fault).__name__}: {fault})."
