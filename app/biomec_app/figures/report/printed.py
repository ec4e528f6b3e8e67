"""A clinical report as one HTML file to be read and printed: every page begins on a sheet of its own.

All sheets are upright, because browsers lay out a whole document for one width.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from biomec.base.plain_text import html
from biomec.base.progress import Progress
from biomec.reporting.clinical.blocks import (
    Block,
    ClinicalReport,
    FigureRequest,
    FreeText,
    Grid,
    Heading,
    Page,
    Words,
)
from biomec.reporting.tables import Table
from biomec_app.figures.report.drawing import Drawn, described, figure_png, height_mm, svg
from biomec_app.figures.report.logo import logo_png
from biomec_app.figures.report.markup import captioned, cards, document, image, note, paragraphs
from biomec_app.figures.report.options import ReportOptions
from biomec_app.figures.report.remarks import pages_with_remarks

REMARK = "Angles, loads and indices are estimates of a model; judge them with the page on quality."
MARGIN_MM = 13.0
AROUND_MM = 62.0  # of a sheet, for its margins, head and headings
LINE_MM = 5.0  # of room for what is written by hand
STYLE = """
main {{ max-width: 1180px; }}
.sheet > header {{ display: flex; gap: 14px; align-items: center; border-bottom: 1px solid #d5d9df; padding-bottom: 8px;
                  font-size: 12.5px; }}
.sheet > header img {{ width: auto; height: 34px; margin: 0; }}
.sheet > header p {{ flex: 1; margin: 0; overflow-wrap: anywhere; }}
.sheet + .sheet {{ margin-top: 46px; }}
h1, h2, h3, p, li, td, th {{ overflow-wrap: anywhere; }}
td, th {{ min-width: 4.5em; }}
td:first-child, th:first-child {{ min-width: 7em; }}
.highlights {{ flex-wrap: wrap; }}
.highlights li {{ overflow-wrap: break-word; }}
.free p {{ white-space: pre-wrap; border: 1px solid #d5d9df; padding: 6px 10px; margin: 4px 0 12px; }}
figure {{ margin: 10px 0; }}
figure img {{ margin: 0; }}
@media print {{
  @page {{ size: {paper}; margin: 14mm {margin}mm 16mm;
           @bottom-right {{ content: "Page " counter(page) " of " counter(pages); font-size: 8pt; color: #5f6670; }} }}
  .sheet {{ break-before: page; }}
  .sheet:first-of-type {{ break-before: auto; }}
  .sheet + .sheet {{ margin-top: 0; }}
  figure {{ break-inside: avoid; }}
  figure img {{ max-height: none; width: 100%; }}
  .free {{ break-inside: avoid; }}
}}
"""


def written(report: ClinicalReport, options: ReportOptions, progress: Progress | None = None) -> bytes:
    """The bytes of the page."""
    parts = []
    pages = pages_with_remarks(report)
    for k, page in enumerate(pages):
        body = page_html(page, partial(_picture, options=options), options)
        if k == 0:
            body = f"<h1>{html(report.title)}</h1>{cards(report.highlights)}{body}"
        parts.append(_sheet(report, body))
        if progress is not None:
            progress((k + 1) / (len(pages) + 1))
    style = STYLE.format(paper=options.paper, margin=MARGIN_MM)
    return document(report.title, "\n".join(parts), REMARK, style).encode()


def page_html(
    page: Page, grid_html: Callable[[Grid, Sequence[Block]], str], options: ReportOptions, title: bool = True
) -> str:
    """A page of a report; ``grid_html`` draws a grid and gets what stands below it."""
    parts = [f"<h2>{html(page.title)}</h2>"] if title else []
    for k, block in enumerate(page.blocks):
        parts.append(grid_html(block, page.blocks[k + 1 :]) if isinstance(block, Grid) else _block(block, options))
    return "\n".join(parts)


def who(heading: Heading) -> str:
    """Whom a report is about and when it was measured, in one line."""
    parts = (
        heading.laboratory,
        heading.who,
        heading.identifier,
        f"born {heading.born}" if heading.born else "",
        f"measured {heading.measured}" if heading.measured else "",
        f"trust: {heading.verdict}" if heading.verdict else "",
    )
    return " · ".join(part for part in parts if part)


def _sheet(report: ClinicalReport, body: str) -> str:
    logo = logo_png(report.heading.logo)
    mark = image(logo, "Logo") if logo is not None else ""
    return f'<section class="sheet"><header>{mark}<p>{html(who(report.heading))}</p></header>\n{body}\n</section>'


def _block(block: Block, options: ReportOptions) -> str:
    if isinstance(block, Words):
        title = f"<h3>{html(block.title)}</h3>" if block.title else ""
        return title + paragraphs(block.sentences)
    if isinstance(block, Table):
        return captioned(block)
    if isinstance(block, FreeText):
        room = "" if block.text.strip() else f' style="min-height:{block.lines * LINE_MM:g}mm"'
        return f'<div class="free"><h3>{html(block.title)}</h3><p{room}>{html(block.text)}</p></div>'
    if isinstance(block, FigureRequest):
        return f"<figure>{image(figure_png(block, options), block.caption)}{note(block.caption)}</figure>"
    return _picture(block, (), options)


def _picture(block: Drawn, below: Sequence[Block], options: ReportOptions) -> str:
    sheet = options.size(landscape=False)
    width = sheet[0] - 2 * MARGIN_MM
    drawing = svg(block, width, height_mm(block, width, sheet[1] - AROUND_MM, options, below), options)
    title = f"<h3>{html(block.caption)}</h3>" if block.caption else ""
    return f"<figure>{title}{image(drawing, described(block), 'image/svg+xml')}</figure>"
