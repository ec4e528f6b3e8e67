"""Words from files and people inside text that a program reads: programs, LaTeX, HTML, tables, names of files.

Names of markers, bodies, runs and people may hold anything. Whatever they hold, they stay words: they end no comment,
start no command, add no element and no formula. Every writer of such text uses these functions. Values in a line of
Python are written by `biomec.pipeline.replay.python_text`, values in TOML by `biomec.base.toml_table.written`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable, Sequence
from html import escape

LONGEST_NAME = 48  # letters of an identifier; C and MATLAB tell names apart by their first 63
LONGEST_FILE_NAME = 100  # letters of a part of the name of a file
_ENDS_COMMENT = re.compile(r"\?(?=\?)|\*(?=/)|/(?=\*)|[%#](?=[{}])|'(?=')")  # ??/ */ /* %{ %} #{ #} '''
_LATEX = {letter: f"\\{letter}" for letter in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
}
_SIGNS = r"(?=[\s'\"]*[=+\-@＝＋－＠])"  # what makes a cell a formula in a spreadsheet, in full width too
_FORMULA = re.compile(rf"(^|[;\t\r\n]){_SIGNS}")
_KEPT = re.compile(rf"(^|[;\t\r\n])'{_SIGNS}")
_NO_FILE_NAME = re.compile(r'[<>:"/\\|?*]')
_NOT_IN_XML = bytes({*range(32)} - {*b"\t\n\r"})
_DEVICE = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # what Windows keeps for devices


def one_line(words: str) -> str:
    """Words on one line: a space for every line break and for whatever else cannot be printed."""
    return "".join(letter if letter.isprintable() else " " for letter in words)


def comment(words: str) -> str:
    """Words inside a comment of Python, C or MATLAB, or inside a docstring: nothing in them ends it or goes on."""
    return _ENDS_COMMENT.sub(r"\g<0> ", one_line(words).replace("\\", "/").replace('"', "'"))


def identifier(name: str, taken: Collection[str] = ()) -> str:
    """A name of Latin letters, digits and underscores that begins with a letter and is not taken."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)[:LONGEST_NAME]
    if not plain[:1].isalpha():
        plain = f"v{plain}"
    while plain in taken:
        plain += "_"
    return plain


def latex(words: str) -> str:
    """Words in the text of a LaTeX document."""
    return "".join(_LATEX.get(letter, letter) for letter in one_line(words))


def html(words: str) -> str:
    """Words in HTML, between elements or in an attribute with quotes; line breaks and tabs stay."""
    return escape("".join(one if one.isprintable() or one in "\n\t" else " " for one in words))


def xml(drawing: bytes) -> bytes:
    """A drawing as UTF-8 without the characters that XML does not allow, which programs that draw leave in texts."""
    return drawing.translate(None, _NOT_IN_XML)


def cell(words: str) -> str:
    """Words in a cell of a table: an apostrophe before what a spreadsheet would compute.

    Spreadsheets compute a cell that begins with = + - or @, also behind blanks and quotes, and some begin a cell at a
    semicolon. Numbers stay as they are. `from_cell` is the inverse.
    """
    return words if _is_number(words) else _FORMULA.sub(r"\1'", words)


def from_cell(written: str) -> str:
    """The words of a cell that `cell` wrote."""
    return _KEPT.sub(r"\1", written)


def table(rows: Iterable[Sequence[object]], separator: str = ",") -> str:
    """Text of a table for files and for the clipboard: a line for each row; texts stay on it, and are not formulas."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerows([cell(one_line(one)) if isinstance(one, str) else one for one in row] for row in rows)
    return text.getvalue()


def file_name(words: str) -> str:
    """Words as the name of a file or folder, which names no other folder and no device."""
    name = _NO_FILE_NAME.sub("_", one_line(words)).strip(" .")[:LONGEST_FILE_NAME].rstrip(" .")
    return f"_{name}" if _DEVICE.fullmatch(name) else name or "unnamed"


def _is_number(words: str) -> bool:
    try:
        float(words)
    except ValueError:
        return False
    return True
