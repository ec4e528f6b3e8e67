"""What another user of this computer can do: only the administrator can try, in a child that gives its rights away."""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

UID = 54321
ADMINISTRATOR = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only the administrator can become another user"
)


@contextmanager
def open_folder() -> Iterator[Path]:
    """An empty folder that everybody can write to."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def as_another_user(work: Callable[[], object]) -> str:
    """What a function returns, or the error that it raises, as text, when another user calls it."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            os.setgroups([])
            os.setgid(UID)
            os.setuid(UID)
            said = str(work())
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writing, said.encode("utf-8", "replace"))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode("utf-8", "replace")
    os.waitpid(child, 0)
    return said
