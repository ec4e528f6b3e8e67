"""The HTML kit: style, tables, cards, pictures and the document around them. Every page in HTML is made of these."""

from __future__ import annotations

import base64
from collections.abc import Iterable

from biomec._version import __version__
from biomec.base.plain_text import html
from biomec.reporting.tables import Table
from biomec_app.kit.colours import LIGHT

INK, MUTED, HAIR, RIGHT, FAULT = LIGHT.text, LIGHT.faint, LIGHT.line, LIGHT.right, LIGHT.fault
SHORT = 12  # rows up to which a table is not parted by the end of a page
LONGEST_NUMBER = 28  # letters of a number with what stands around it; more is a sentence that begins with one
STYLE = f"""
@page {{ size: A4; margin: 14mm 13mm; }}
* {{ box-sizing: border-box; }}
body {{ font: 14px/1.45 "DejaVu Sans", "Segoe UI", Helvetica, Arial, sans-serif; color: {INK}; background: #eef1f4;
       margin: 0; }}
main {{ background: white; max-width: 1080px; margin: 24px auto; padding: 36px 44px; }}
header p {{ margin: 2px 0 0; color: {MUTED}; }}
h1 {{ font-size: 27px; margin: 0; }}
h2 {{ font-size: 18px; margin: 34px 0 8px; padding-bottom: 4px; border-bottom: 2px solid {HAIR}; }}
h3 {{ font-size: 14px; margin: 18px 0 4px; }}
.highlights {{ display: flex; gap: 14px; margin: 20px 0; padding: 0; list-style: none; }}
.highlights li {{ flex: 1; border: 1px solid {HAIR}; border-top: 4px solid {RIGHT}; padding: 10px 14px; }}
.highlights strong {{ display: block; font-size: 21px; }}
.highlights span {{ color: {MUTED}; }}
.pair {{ display: grid; grid-template-columns: 1fr 1fr; gap: 0 36px; }}
img {{ width: 100%; height: auto; display: block; margin: 10px 0; }}
table {{ border-collapse: collapse; width: 100%; margin: 6px 0; font-size: 13px; }}
th, td {{ text-align: left; vertical-align: top; padding: 3px 10px 3px 0; border-bottom: 1px solid {HAIR}; }}
thead th {{ border-bottom: 2px solid {MUTED}; color: {MUTED}; font-weight: normal; }}
td.number, th.number {{ text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }}
table.facts th {{ font-weight: normal; color: {MUTED}; white-space: nowrap; width: 1%; padding-right: 22px; }}
td.hash {{ font-family: "DejaVu Sans Mono", Consolas, monospace; font-size: 11px; word-break: break-all; }}
p.note {{ color: {MUTED}; font-size: 12.5px; margin: 2px 0 10px; }}
ul.notices {{ margin: 4px 0 12px; padding: 0; list-style: none; }}
ul.notices li {{ border-left: 4px solid {HAIR}; padding: 2px 0 2px 12px; margin: 5px 0; }}
.problem ul.notices li, ul.notices li.problem {{ border-color: {FAULT}; }}
.warning ul.notices li, ul.notices li.warning {{ border-color: #E0A100; }}
ul.long {{ columns: 2; column-gap: 30px; list-style: none; margin: 4px 0; padding: 0; font-size: 11.5px; }}
.small table {{ font-size: 11.5px; }}
footer {{ color: {MUTED}; font-size: 12px; margin-top: 30px; }}
@media print {{
  body {{ background: white; font-size: 10pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
  main {{ margin: 0; padding: 0; max-width: none; }}
  table {{ font-size: 8.5pt; }}
  ul.long {{ font-size: 7.5pt; }}
  .highlights strong {{ font-size: 13pt; }}
  .highlights span {{ font-size: 8.5pt; }}
  .highlights {{ gap: 8px; }}
  .short {{ break-inside: avoid; }}
  img {{ max-height: 168mm; width: auto; max-width: 100%; margin: 4mm auto; }}
  .figure img {{ max-height: 118mm; }}
  h2, h3 {{ break-after: avoid; }}
  tr, img, .highlights, li {{ break-inside: avoid; }}
  thead {{ display: table-header-group; }}
}}
@media (max-width: 760px) {{
  main {{ padding: 18px; margin: 0; overflow-x: auto; }}
  .pair {{ display: block; }}
  .highlights {{ flex-wrap: wrap; }}
}}
"""


def document(title: str, body: str, remark: str, style: str = "", head: str = "") -> str:
    """A whole page. ``remark`` : words behind the version in the footer; ``head`` : elements for the head, as HTML."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{head}'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{html(title)}</title>\n'
        f"<style>{STYLE}{style}</style>\n</head>\n<body>\n<main>\n{body}\n"
        f"<footer>Made with Biomec {html(__version__)}. {html(remark)}</footer>\n</main>\n</body>\n</html>\n"
    )


def cards(highlights: Iterable[tuple[str, str]]) -> str:
    """What a reader wants first: values with what they are."""
    items = "".join(f"<li><strong>{html(value)}</strong><span>{html(what)}</span></li>" for value, what in highlights)
    return f'<ul class="highlights">{items}</ul>'


def paragraphs(sentences: Iterable[str]) -> str:
    """Sentences, each a paragraph."""
    return "\n".join(f"<p>{html(one)}</p>" for one in sentences)


def captioned(table: Table) -> str:
    """A table with its caption and note."""
    title = f"<h3>{html(table.caption)}</h3>" if table.caption else ""
    body = _grid(table) if any(table.columns) or len(table.columns) != 2 else _facts(table)
    short = ' class="short"' if len(table.rows) <= SHORT else ""
    return f"<div{short}>{title}{body}{note(table.note)}</div>"


def note(words: str) -> str:
    """A remark in small letters; nothing for no words."""
    return f'<p class="note">{html(words)}</p>' if words else ""


def image(content: bytes, text: str, kind: str = "image/png") -> str:
    """A picture inside the page, and what it shows, in words for those who cannot see it."""
    code = base64.b64encode(content).decode("ascii")
    return f'<img alt="{html(text)}" src="data:{kind};base64,{code}">'


def is_number(cell: str) -> bool:
    """Whether a cell holds a number, a dash for a missing one, or a number with its spread or unit."""
    if len(cell) > LONGEST_NUMBER:
        return False
    first = cell.replace("−", "-").split(" ")[0].rstrip("%°")
    try:
        float(first)
    except ValueError:
        return cell == "–"
    return " to " not in cell


def numeric_columns(table: Table) -> list[bool]:
    """Which columns hold numbers only, and are set to the right."""
    return [bool(table.rows) and all(is_number(row[k]) for row in table.rows) for k in range(len(table.columns))]


def _facts(table: Table) -> str:
    rows = "".join(f"<tr><th>{html(name)}</th><td>{html(value)}</td></tr>" for name, value in table.rows)
    return f'<table class="facts"><tbody>{rows}</tbody></table>'


def _grid(table: Table) -> str:
    mark = [' class="number"' if one else "" for one in numeric_columns(table)]
    head = "".join(f"<th{mark[k]}>{html(name)}</th>" for k, name in enumerate(table.columns))
    rows = "".join(
        "<tr>" + "".join(f"<td{_kind(cell, mark[k])}>{html(cell)}</td>" for k, cell in enumerate(row)) + "</tr>"
        for row in table.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _kind(cell: str, mark: str) -> str:
    is_hash = len(cell) == 64 and all(letter in "0123456789abcdef" for letter in cell)
    return ' class="hash"' if is_hash else mark
