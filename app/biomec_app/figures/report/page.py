"""`report.html`: one file with everything in it, to be read on a screen or printed on paper."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from biomec._version import __version__
from biomec.base.notices import NoticeGroup
from biomec.base.plain_text import html
from biomec.reporting.content.report import PROVENANCE, RECORDING, SUBJECT, ReportContent
from biomec.reporting.tables import Section, Table
from biomec_app.kit.colours import LIGHT

INK, MUTED, HAIR, RIGHT, FAULT = LIGHT.text, LIGHT.faint, LIGHT.line, LIGHT.right, LIGHT.fault
SHORT = 12  # rows up to which a table is not parted by the end of a page
LONG = 30  # rows beyond which a table of names and values is set in columns
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


@dataclass(frozen=True)
class Picture:
    """A PNG file, and what it shows, in words for those who cannot see it."""

    path: Path
    text: str


def page(content: ReportContent, pictures: Mapping[str, Picture], missing: str = "") -> str:
    """The whole page.

    pictures : section title, or "figure" -> its picture, put into the page itself
    missing  : why there is no picture of the body, if there is none
    """
    parts = [_head(content)]
    subject, recording = content.section(SUBJECT), content.section(RECORDING)
    if subject is not None and recording is not None:
        parts.append(f'<div class="pair"><div>{_section(subject)}</div><div>{_section(recording)}</div></div>')
    if "figure" in pictures:
        parts.append(f'<div class="figure">{_image(pictures["figure"])}</div>')
    elif missing:
        parts.append(f'<p class="note">{html(missing)}</p>')
    for section in content.sections:
        if section.title == PROVENANCE:
            parts.append(_notices(content.notices))
        if section not in (subject, recording):
            parts.append(_section(section, pictures.get(section.title)))
    return _document(content, "\n".join(parts))


def _document(content: ReportContent, body: str) -> str:
    title = html(f"{content.title}, {content.subtitle}")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n"
        f"<footer>Made with Biomec {html(__version__)}. Angles and distances are estimates of a model; judge them "
        "with the quality figures above.</footer>\n</main>\n</body>\n</html>\n"
    )


def _head(content: ReportContent) -> str:
    cards = "".join(
        f"<li><strong>{html(value)}</strong><span>{html(what)}</span></li>" for value, what in content.highlights
    )
    return (
        f"<header><h1>{html(content.title)}</h1><p>{html(content.subtitle)}</p></header>\n"
        f'<ul class="highlights">{cards}</ul>{_first(content)}'
    )


def _first(content: ReportContent) -> str:
    """The notices that a reader must not miss."""
    items = "".join(f'<li class="{one.severity.value}">{html(one.sentence)}</li>' for one in content.leading)
    return f'\n<ul class="notices">{items}</ul>' if items else ""


def _section(section: Section, picture: Picture | None = None) -> str:
    parts = [f"<h2>{html(section.title)}</h2>", *(f"<p>{html(one)}</p>" for one in section.sentences)]
    if picture is not None:
        parts.append(_image(picture))
    parts += [_table(table) for table in section.tables]
    body = "\n".join(parts)
    kind = ' class="small"' if section.title == PROVENANCE else ""
    return f"<section{kind}>\n{body}\n</section>"


def _table(table: Table) -> str:
    title = f"<h3>{html(table.caption)}</h3>" if table.caption else ""
    note = f'<p class="note">{html(table.note)}</p>' if table.note else ""
    if len(table.rows) > LONG and len(table.columns) == 3:
        return f"{title}{_long(table)}{note}"
    body = _facts(table) if not any(table.columns) else _grid(table)
    short = ' class="short"' if len(table.rows) <= SHORT else ""
    return f"<div{short}>{title}{body}{note}</div>"


def _facts(table: Table) -> str:
    rows = "".join(f"<tr><th>{html(name)}</th><td>{html(value)}</td></tr>" for name, value in table.rows)
    return f'<table class="facts"><tbody>{rows}</tbody></table>'


def _grid(table: Table) -> str:
    numeric = [all(_is_number(row[k]) for row in table.rows) and bool(table.rows) for k in range(len(table.columns))]
    mark = [' class="number"' if one else "" for one in numeric]
    head = "".join(f"<th{mark[k]}>{html(name)}</th>" for k, name in enumerate(table.columns))
    rows = "".join(
        "<tr>" + "".join(f"<td{_kind(cell, mark[k])}>{html(cell)}</td>" for k, cell in enumerate(row)) + "</tr>"
        for row in table.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _long(table: Table) -> str:
    """A long table of names and values in narrow columns, what differs from the rule in bold."""
    items = "".join(
        f"<li>{html(name)} = {'<b>' + html(value) + '</b>' if mark else html(value)}</li>"
        for name, value, mark in table.rows
    )
    rule = "Bold: changed from the default. " if any(row[2] for row in table.rows) else "All as by default. "
    return f'<p class="note">{rule}</p><ul class="long">{items}</ul>'


def _kind(cell: str, mark: str) -> str:
    is_hash = len(cell) == 64 and all(letter in "0123456789abcdef" for letter in cell)
    return ' class="hash"' if is_hash else mark


def _is_number(cell: str) -> bool:
    """Whether a cell holds a number, a dash for a missing one, or a number with its spread or unit."""
    first = cell.replace("−", "-").split(" ")[0].rstrip("%°")
    try:
        float(first)
    except ValueError:
        return cell == "–"
    return " to " not in cell


def _notices(groups: tuple[NoticeGroup, ...]) -> str:
    parts = ['<section><h2 id="notices">Notices</h2>']
    for group in groups:
        items = "".join(f"<li>{html(one.sentence)}</li>" for one in group.notices)
        parts.append(
            f'<div class="{group.severity.value}"><h3>{html(group.title)}</h3>'
            f'<p class="note">{html(group.meaning)}</p><ul class="notices">{items}</ul></div>'
        )
    if not groups:
        parts.append("<p>There is nothing to report.</p>")
    return "\n".join([*parts, "</section>"])


def _image(picture: Picture) -> str:
    code = base64.b64encode(picture.path.read_bytes()).decode("ascii")
    return f'<img alt="{html(picture.text)}" src="data:image/png;base64,{code}">'
