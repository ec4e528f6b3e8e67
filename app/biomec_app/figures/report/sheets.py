"""Makes pieces of blocks for a width of paper: text, tables and plots, which `flow` puts on sheets.

Everything is measured in units of the device, `Look.point` of them in a point.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from biomec.reporting.clinical.blocks import Bars, FreeText, Grid, PathOfPressure, Words
from biomec.reporting.tables import Table
from biomec_app.figures.report.flow import Piece, space
from biomec_app.figures.report.markup import numeric_columns
from biomec_app.kit.colours import mixed
from biomec_app.plots.clinical.bar_painter import bars_height, paint_bars
from biomec_app.plots.clinical.grid_painter import paint_grid
from biomec_app.plots.clinical.look import Look
from biomec_app.plots.clinical.pencil import CENTRE, LEFT, RIGHT, Pencil
from biomec_app.plots.clinical.pressure_painter import paint_path

TEXT, SMALL, CAPTION, HEADING, TITLE = 9.0, 8.0, 9.5, 11.0, 17.0  # points
BIG, LEAST_BIG = 12.0, 8.0  # points of the numbers that are read first: smaller where one is long
PLOT = 7.0
LEAST_PANEL, ASPECT = 62.0, 0.72  # points of height that a panel needs; height to width beyond which it does not grow
PATH_HEIGHT = 270.0  # points
TIGHT = 0.9  # of the height of a bar chart, in which its numbers are still apart
HAND_LINE, WIDEST_LINE = 18.0, 30.0  # points between lines to write on by hand, and to what they grow on a free sheet
LOW = 0.4  # of the height of a sheet: lower tables stand beside each other
GUTTER = 18.0  # points between tables beside each other


class Typesetter:
    """Turns blocks into pieces for a width of paper."""

    def __init__(self, look: Look, width: float) -> None:
        self.look, self.width = look, width
        self.plots = look
        self.point = look.point

    # ------------------------------------------------------------------------------------------------------------ text
    def pencil(self, size: float, painter: QPainter | None = None) -> Pencil:
        """A pencil for letters of that many points."""
        return Pencil(
            Look(self.look.theme, self.look.colours, self.point, size, legend=self.look.legend, notes=self.look.notes),
            painter,
        )

    def heading(self, words: str, size: float = HEADING, above: float = 8.0, rule: bool = False) -> list[Piece]:
        """A heading that stays with what follows it."""
        pencil = self.pencil(size)
        pieces = []
        for k, line in enumerate(pencil.lines_of(words, self.width, bold=True)):
            extra = above * self.point if k == 0 else 0.0

            def draw(painter: QPainter, place: QRectF, line: str = line, extra: float = extra) -> None:
                lower = QRectF(place.left(), place.top() + extra, place.width(), place.height() - extra)
                self.pencil(size, painter).write(line, lower, bold=True)

            pieces.append(Piece(extra + 1.15 * pencil.line_height, draw, keeps=True))
        if rule and pieces:

            def ruled(painter: QPainter, place: QRectF) -> None:
                y = place.top() + self.point
                self.pencil(size, painter).line(QPointF(place.left(), y), QPointF(place.right(), y),
                                                self.look.theme.line, 1.2)  # fmt: skip

            pieces.append(Piece(4.0 * self.point, ruled, keeps=True))
        return pieces

    def paragraph(self, words: str, size: float = TEXT, colour: str = "", below: float = 3.0) -> list[Piece]:
        """Sentences over as many lines as they need; line breaks of the text are kept."""
        pencil, pieces = self.pencil(size), []
        for part in words.splitlines() or [""]:
            for line in pencil.lines_of(part, self.width) or [""]:

                def draw(painter: QPainter, place: QRectF, line: str = line) -> None:
                    self.pencil(size, painter).write(line, place, colour)

                pieces.append(Piece(1.12 * pencil.line_height, draw))
        if pieces:
            pieces.append(space(below, self.point))
        return pieces

    def words(self, block: Words) -> list[Piece]:
        """A heading and paragraphs."""
        pieces = self.heading(block.title) if block.title else []
        for sentence in block.sentences:
            pieces += self.paragraph(sentence)
        return pieces

    def free_text(self, block: FreeText) -> list[Piece]:
        """What a clinician wrote, or lines to write on by hand."""
        pieces = self.heading(block.title)
        if block.text.strip():
            return pieces + self.paragraph(block.text)

        def draw(painter: QPainter, place: QRectF) -> None:
            pencil = self.pencil(TEXT, painter)
            pencil.line(place.bottomLeft(), place.bottomRight(), self.look.theme.faint, 0.4, (1.0, 2.5))

        high, most = HAND_LINE * self.point, WIDEST_LINE * self.point
        return pieces + [Piece(high, draw, most, keeps=k == 0) for k in range(max(1, block.lines))]

    def cards(self, highlights: Sequence[tuple[str, str]]) -> list[Piece]:
        """A box for each number that a reader wants first: value, and below it what it is."""
        if not highlights:
            return []
        small, gap = self.pencil(SMALL), 7.0 * self.point
        each = (self.width - gap * (len(highlights) - 1)) / len(highlights)
        inside = each - 12.0 * self.point
        metrics = self.pencil(BIG).metrics(bold=True)
        longest = max(metrics.horizontalAdvance(value) for value, _ in highlights)
        size = BIG * min(1.0, max(0.98 * inside / longest, LEAST_BIG / BIG)) if longest else BIG
        big = self.pencil(size)
        lines = max(len(small.lines_of(what, inside)) for _, what in highlights)
        height = 1.2 * big.line_height + lines * small.line_height + 12.0 * self.point

        def draw(painter: QPainter, place: QRectF) -> None:
            for k, (value, what) in enumerate(highlights):
                box = QRectF(place.left() + k * (each + gap), place.top(), each, height)
                painter.setPen(QPen(QColor(self.look.theme.line), 0.7 * self.point))
                painter.drawRect(box)
                pencil = self.pencil(size, painter)
                pencil.fill(QRectF(box.left(), box.top(), box.width(), 2.5 * self.point), self.look.colour("right"))
                left, top = box.left() + 6.0 * self.point, box.top() + 5.0 * self.point
                pencil.write(value, QRectF(left, top, inside, 1.2 * big.line_height), bold=True)
                below = QRectF(left, top + 1.2 * big.line_height, inside, lines * small.line_height + 1.0)
                self.pencil(SMALL, painter).paragraph(what, below, self.look.theme.faint)

        return [Piece(height, draw), space(6.0, self.point)]

    # ---------------------------------------------------------------------------------------------------------- tables
    def table(self, table: Table, size: float = SMALL) -> list[Piece]:
        """Caption, head, rows and note; the head stands again on every further sheet."""
        pieces = self.heading(table.caption, CAPTION) if table.caption else []
        columns = self._columns(table, size)
        numeric = numeric_columns(table)
        facts = len(table.columns) == 2 and not any(table.columns)
        numeric = [False, False] if facts else numeric
        head = None
        if any(table.columns):
            head = self._row(table.columns, columns, numeric, size, self.look.theme.faint, 0.9)
            pieces.append(Piece(head.height, head.draw, keeps=True))
        for k, row in enumerate(table.rows):
            made = self._row(row, columns, numeric, size, "", 0.4, first_faint=facts)
            first = k == 0 and len(table.rows) > 1  # not alone at the foot of a sheet
            pieces.append(Piece(made.height, made.draw, again=head, keeps=first))
        if table.note:
            pieces += [space(2.0, self.point), *self.paragraph(table.note, 7.3, self.look.theme.faint)]
        return [*pieces, space(5.0, self.point)]

    def tables(self, tables: Sequence[Table], high: float) -> list[Piece]:
        """Tables that follow each other; two that are narrow and low stand beside each other on a sheet that high."""
        pieces: list[Piece] = []
        k = 0
        while k < len(tables):
            pair = self._beside(tables[k], tables[k + 1], LOW * high) if k + 1 < len(tables) else None
            pieces += self.table(tables[k]) if pair is None else pair
            k += 1 if pair is None else 2
        return pieces

    def _beside(self, left: Table, right: Table, most: float) -> list[Piece] | None:
        """Two tables as one piece, their heads in line; None if they are too wide or higher than ``most``."""
        pair, gutter = (left, right), GUTTER * self.point
        natural = [self._natural(one) for one in pair]
        if not all(any(one.columns) for one in pair) or sum(natural) + gutter > self.width:
            return None
        spare = 0.5 * (self.width - gutter - sum(natural))
        setters = [Typesetter(self.look, one + spare) for one in natural]
        columns = []
        for setter, one, at in zip(setters, pair, (LEFT, RIGHT), strict=True):
            caption = sum(piece.height for piece in setter.heading(one.caption, CAPTION)) if one.caption else 0.0
            columns.append((caption, setter.table(one), at))
        most_caption = max(caption for caption, _, _ in columns)
        high = max(most_caption - caption + sum(piece.height for piece in made) for caption, made, _ in columns)
        if high > most:
            return None

        def draw(painter: QPainter, place: QRectF) -> None:
            for (caption, made, at), setter in zip(columns, setters, strict=True):
                x = place.left() if at == LEFT else place.right() - setter.width
                y = place.top() + most_caption - caption
                for piece in made:
                    piece.draw(painter, QRectF(x, y, setter.width, piece.height))
                    y += piece.height

        return [Piece(high, draw)]

    def _natural(self, table: Table, size: float = SMALL) -> float:
        """Width of a table of which no cell is broken."""
        pencil, gap = self.pencil(size), 8.0 * self.point
        cells = zip(table.columns, *table.rows, strict=True)
        return sum(gap + max(map(pencil.width, column)) + 1.0 for column in cells)

    def _columns(self, table: Table, size: float) -> list[float]:
        """Widths: what numbers need, and the rest for words in the proportion of what they need."""
        pencil, gap = self.pencil(size), 8.0 * self.point
        count = len(table.columns)
        cells = [[row[k] for row in table.rows] for k in range(count)]
        natural = [
            gap + max([pencil.width(one) for one in cells[k]] + [pencil.width(table.columns[k])], default=0.0) + 1.0
            for k in range(count)
        ]
        longest = [
            gap
            + max((pencil.width(part) for one in [*cells[k], table.columns[k]] for part in one.split()), default=0.0)
            for k in range(count)
        ]
        if count == 2 and not any(table.columns):  # facts: names stand in a column of the same width everywhere
            first = min(max(natural[0], 0.24 * self.width), 0.4 * self.width)
            return [first, self.width - first]
        total = sum(natural)
        if total <= self.width:
            spare = min(self.width - total, 0.35 * total)
            return [one + spare / count for one in natural]
        heads = [max((pencil.width(part) for part in head.split()), default=0.0) for head in table.columns]
        whole = [gap + 1.0 + max([pencil.width(one) for one in cells[k]] + [heads[k]]) for k in range(count)]
        if sum(whole) <= self.width:  # only heads are broken into lines
            spare = (self.width - sum(whole)) / max(total - sum(whole), 1.0)
            return [a + spare * (b - a) for a, b in zip(whole, natural, strict=True)]
        numeric = numeric_columns(table)
        least = [one if number else word for one, word, number in zip(whole, longest, numeric, strict=True)]
        if (
            any(numeric) and not all(numeric) and sum(least) <= self.width
        ):  # numbers stay whole, and words take the rest
            wanted = [0.0 if number else b - a for a, b, number in zip(least, natural, numeric, strict=True)]
            share = min(1.0, (self.width - sum(least)) / max(sum(wanted), 1.0))
            return [a + share * b for a, b in zip(least, wanted, strict=True)]
        least = [min(one, self.width / count) if one > self.width / count else one for one in longest]
        flexible = [max(0.0, a - b) for a, b in zip(natural, least, strict=True)]
        rest = self.width - sum(least)
        if rest <= 0.0:
            return [one * self.width / sum(least) for one in least]
        return [a + rest * b / sum(flexible) for a, b in zip(least, flexible, strict=True)]

    def _row(
        self, cells: Sequence[str], columns: Sequence[float], numeric: Sequence[bool], size: float, colour: str,
        rule: float, first_faint: bool = False,
    ) -> Piece:  # fmt: skip
        pencil, gap = self.pencil(size), 8.0 * self.point
        lines = [pencil.lines_of(cell, width - gap) for cell, width in zip(cells, columns, strict=True)]
        high = max(1, *map(len, lines)) * 1.08 * pencil.line_height + 2.0 * self.point

        def draw(painter: QPainter, place: QRectF) -> None:
            own, x = self.pencil(size, painter), place.left()
            for k, (part, width) in enumerate(zip(lines, columns, strict=True)):
                tint = self.look.theme.faint if first_faint and k == 0 else colour
                for n, line in enumerate(part):
                    y = place.top() + self.point + n * 1.08 * own.line_height
                    box = QRectF(x, y, width - gap, 1.08 * own.line_height)
                    own.write(line, box, tint, RIGHT if numeric[k] else LEFT)
                x += width
            y = place.bottom()
            ink = self.look.theme.faint if rule > 0.5 else self.look.theme.line
            own.line(QPointF(place.left(), y), QPointF(min(place.right(), x), y), ink, rule)

        return Piece(high, draw)

    # ----------------------------------------------------------------------------------------------------------- plots
    def grid(self, grid: Grid) -> list[Piece]:
        """Panels that grow with the sheet."""
        columns = max((len(row) for row in grid.rows), default=0)
        if not columns:
            return []
        rows, look = len(grid.rows), self._plot_look()
        note = Pencil(look).note_height(grid.note, self.width)
        around = note + 56.0 * self.point
        most = rows * (ASPECT * self.width / columns + 22.0 * self.point) + around
        least = min(most, rows * LEAST_PANEL * self.point + around)
        caption = self.heading(grid.caption, CAPTION, above=3.0) if grid.caption else []

        def draw(painter: QPainter, place: QRectF) -> None:
            paint_grid(painter, place.adjusted(0.0, 2.0 * self.point, 0.0, -4.0 * self.point), grid, look)

        return [*caption, Piece(least, draw, most=most)]

    def bars(self, bars: Bars) -> list[Piece]:
        """A bar chart, little lower where room lacks."""
        look = self._plot_look(7.5)
        caption = self.heading(bars.caption, CAPTION) if bars.caption else []
        high = bars_height(bars, look, self.width) + 8.0 * self.point

        def draw(painter: QPainter, place: QRectF) -> None:
            paint_bars(painter, place.adjusted(0.0, self.point, 0.0, -7.0 * self.point), bars, look)

        return [*caption, Piece(TIGHT * high, draw, most=high)]

    def path(self, block: PathOfPressure) -> list[Piece]:
        """Paths under both feet."""
        look = self._plot_look()
        caption = self.heading(block.caption, CAPTION) if block.caption else []

        def draw(painter: QPainter, place: QRectF) -> None:
            paint_path(painter, place, block, look)

        return [*caption, Piece(0.7 * PATH_HEIGHT * self.point, draw, most=PATH_HEIGHT * self.point)]

    def picture(self, image: QImage, caption: str) -> list[Piece]:
        """A picture over the whole width, and below it what it shows."""
        high = min(self.width * image.height() / max(1, image.width()), 420.0 * self.point)
        wide = high * image.width() / max(1, image.height())

        def draw(painter: QPainter, place: QRectF) -> None:
            painter.drawImage(QRectF(place.center().x() - 0.5 * wide, place.top(), wide, high), image)

        return [Piece(high, draw, keeps=True), *self.paragraph(caption, 7.3, self.look.theme.faint)]

    def _plot_look(self, size: float = PLOT) -> Look:
        return Look(self.look.theme, self.look.colours, self.point, size, self.look.strips)


def head_and_foot(
    painter: QPainter,
    sheet: QRectF,
    margins: float,
    look: Look,
    head: tuple[str, str, str],
    foot: tuple[str, str, str],
    logo: QImage | None,
) -> None:
    """What stands on every sheet: laboratory, person, days above; version, verdict, page below.

    head : laboratory, whom it is about, what it is;  foot : left, middle, right
    """
    point = look.point
    bold, plain = Pencil(_sized(look, 8.5), painter), Pencil(_sized(look, 7.5), painter)
    left, right, top = sheet.left() + margins, sheet.right() - margins, sheet.top() + 0.6 * margins
    start = left
    high = bold.line_height + plain.line_height
    if logo is not None and logo.height() > 0 and logo.width() > 0:
        scale = min(1.25 * high / logo.height(), 90.0 * point / logo.width())
        box = QRectF(left, top + 0.5 * (high - scale * logo.height()), scale * logo.width(), scale * logo.height())
        painter.drawImage(box, logo)
        start = box.right() + 6.0 * point
    laboratory, who, what = head
    aside = min(bold.width(what, bold=True) + 2.0, 0.35 * (right - start))
    bold.write(laboratory, QRectF(start, top, right - start - aside - 6.0 * point, bold.line_height), bold=True)
    bold.write(what, QRectF(right - aside, top, aside, bold.line_height), look.theme.faint, RIGHT)
    plain.write(who, QRectF(start, top + bold.line_height, right - start, plain.line_height))
    rule = top + high + 3.0 * point
    plain.line(QPointF(left, rule), QPointF(right, rule), mixed(look.theme.faint, look.theme.panel, 0.4), 0.6)
    low = sheet.bottom() - 0.75 * margins
    third = (right - left) / 3.0
    plain.line(QPointF(left, low - 2.0 * point), QPointF(right, low - 2.0 * point), look.theme.line, 0.5)
    for words, x, align in zip(foot, (left, left + third, left + 2 * third), (LEFT, CENTRE, RIGHT), strict=True):
        plain.write(words, QRectF(x, low, third, plain.line_height), look.theme.faint, align)


def _sized(look: Look, size: float) -> Look:
    return Look(look.theme, look.colours, look.point, size)
