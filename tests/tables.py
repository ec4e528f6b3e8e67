"""Keeps the program's tables as they are while an example or an extension adds to them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def tables_kept() -> Iterator[None]:
    """Put every table of the program (a list or dict with a name in capitals) back to what it held before.

    Import what fills the tables first: what a module registers while it is imported inside would be lost.
    """
    tables = {
        id(value): (value, value.copy())
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] in ("biomec", "biomec_app")
        for constant, value in vars(module).items()
        if constant.isupper() and isinstance(value, list | dict)
    }
    try:
        yield
    finally:
        for table, held in tables.values():
            if table != held:
                table.clear()
                table.extend(held) if isinstance(table, list) else table.update(held)
