"""Lays blocks out on sheets of paper: text, tables and plots one below the other, and a new sheet where one is full.

Everything is measured in units of the device, `Look.point` of them in a point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from biomec.reporting.clinical.blocks import Bars, FreeText, Grid, PathOfPressure, Words
from biomec.reporting.tables import Table
from biomec_app.figures.report.markup import numeric_columns
from biomec_app.kit.colours import mixed
from biomec_app.plots.clinical.bar_painter import bars_height, paint_bars
from biomec_app.plots.clinical.grid_painter import paint_grid
from biomec_app.plots.clinical.look import Look
from biomec_app.plots.clinical.pencil import CENTRE, LEFT, RIGHT, Pencil
from biomec_app.plots.clinical.pressure_painter import paint_path

TEXT, SMALL, HEADING, TITLE = 9.0, 8.0, 11.0, 17.0  # points
BIG, LEAST_BIG = 12.0, 8.0  # points of the numbers that are read first: smaller where one is long
PLOT = 7.0
LEAST_PANEL, ASPECT = 62.0, 0.72  # points of height that a panel needs; height to width beyond which it does not grow
PATH_HEIGHT = 270.0  # points
HAND_LINE = 18.0  # points between lines to write on by hand

Draw = Callable[[QPainter, QRectF], None]


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of a page that is never parted.

    height : units of the device;  most : to what it may grow on a sheet that has room, ``height`` if it does not
    draw   : draws it in a rectangle of that height
    keeps  : whether it must not be the last on a sheet, as a heading
    again  : what is drawn first on the next sheet if the pieces are parted before this one: the head of a table
    breaks : whether a new sheet begins before it
    """

    height: float
    draw: Draw
    most: float = 0.0
    keeps: bool = False
    again: Piece | None = None
    breaks: bool = False


@dataclass
class Sheet:
    """Pieces with their places on one sheet of paper; ``kind`` is that of the page that they are of."""

    landscape: bool
    kind: str = ""
    placed: list[tuple[Piece, QRectF]] = field(default_factory=list)

    def draw(self, painter: QPainter) -> None:
        """Draw all pieces."""
        for piece, place in self.placed:
            piece.draw(painter, place)


def flowed(pieces: Sequence[Piece], area: QRectF, landscape: bool, kind: str = "") -> list[Sheet]:
    """Sheets that pieces fill from the top to the bottom of an area."""
    sheets = [Sheet(landscape, kind)]
    y, k = area.top(), 0
    while k < len(pieces):
        last = k  # what must stay together with the piece after it
        while pieces[last].keeps and last + 1 < len(pieces):
            last += 1
        group = pieces[k : last + 1]
        needed = sum(piece.height for piece in group)
        if sheets[-1].placed and (y + needed > area.bottom() + 1e-6 or group[0].breaks):
            sheets.append(Sheet(landscape, kind))
            y = area.top()
            head = group[0].again
            if head is not None:
                sheets[-1].placed.append((head, QRectF(area.left(), y, area.width(), head.height)))
                y += head.height
        for n, piece in enumerate(group):
            after = sum(other.height for other in pieces[last + 1 :])
            rest = sum(other.height for other in group[n + 1 :])
            if y + piece.height + rest + after <= area.bottom():
                rest += after  # all that follows fits here too, if this one leaves it room
            high = min(max(piece.height, piece.most), max(piece.height, area.bottom() - y - rest))
            sheets[-1].placed.append((piece, QRectF(area.left(), y, area.width(), high)))
            y += high
        k = last + 1
    return sheets


def space(points: float, look: Look) -> Piece:
    """Room between blocks."""
    return Piece(points * look.point, lambda painter, place: None)


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
            pieces.append(space(below, self.look))
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

        return pieces + [Piece(HAND_LINE * self.point, draw, keeps=k == 0) for k in range(max(1, block.lines))]

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

        return [Piece(height, draw), space(6.0, self.look)]

    # ---------------------------------------------------------------------------------------------------------- tables
    def table(self, table: Table, size: float = SMALL) -> list[Piece]:
        """Caption, head, rows and note; the head stands again on every further sheet."""
        pieces = self.heading(table.caption, 9.5) if table.caption else []
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
            pieces += [space(2.0, self.look), *self.paragraph(table.note, 7.3, self.look.theme.faint)]
        return [*pieces, space(5.0, self.look)]

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
        high = max(1, *map(len, lines)) * 1.08 * pencil.line_height + 2.6 * self.point

        def draw(painter: QPainter, place: QRectF) -> None:
            own, x = self.pencil(size, painter), place.left()
            for k, (part, width) in enumerate(zip(lines, columns, strict=True)):
                tint = self.look.theme.faint if first_faint and k == 0 else colour
                for n, line in enumerate(part):
                    y = place.top() + 1.3 * self.point + n * 1.08 * own.line_height
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
        caption = self.heading(grid.caption, 9.5, above=3.0) if grid.caption else []

        def draw(painter: QPainter, place: QRectF) -> None:
            paint_grid(painter, place.adjusted(0.0, 2.0 * self.point, 0.0, -4.0 * self.point), grid, look)

        return [*caption, Piece(least, draw, most=most)]

    def bars(self, bars: Bars) -> list[Piece]:
        """A bar chart as high as it needs to be."""
        look = self._plot_look(7.5)
        caption = self.heading(bars.caption, 9.5) if bars.caption else []
        high = bars_height(bars, look, self.width) + 8.0 * self.point

        def draw(painter: QPainter, place: QRectF) -> None:
            paint_bars(painter, place.adjusted(0.0, self.point, 0.0, -7.0 * self.point), bars, look)

        return [*caption, Piece(high, draw)]

    def path(self, block: PathOfPressure) -> list[Piece]:
        """Paths under both feet."""
        look = self._plot_look()
        caption = self.heading(block.caption, 9.5) if block.caption else []

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
