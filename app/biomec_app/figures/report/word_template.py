"""A laboratory's Word document as a template: its styles, header, footer and logo stay, and its text goes."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from biomec.base.errors import FileError

LARGEST = 50_000_000  # bytes, unpacked


def read_template(path: Path) -> Any:
    """A document with the styles and sections of another, without its text."""
    import docx

    try:
        with zipfile.ZipFile(path) as packed:
            if sum(one.file_size for one in packed.infolist()) > LARGEST:
                raise FileError(path.name, "the template is larger than 50 MB unpacked; choose a smaller one.")
        word = docx.Document(str(path))
    except OSError as error:
        raise FileError(path.name, f"the template cannot be read ({error.strerror or error}).") from error
    names = [str(part.partname) for part in word.part.package.iter_parts()]
    if len(set(names)) < len(names):  # two parts of one name: only one of them would be read from the report
        raise not_a_template(path)
    body = word.element.body
    for one in list(body):
        if not one.tag.endswith("}sectPr"):
            body.remove(one)
    return word


def not_a_template(path: Path) -> FileError:
    """What is said of a file that cannot be one."""
    return FileError(path.name, "it is not a Word document (.docx) that can be a template; choose another.")
