"""Where the parts of a report stand on its sheets: one below the other, and a new sheet where one is full.

Pages share sheets where that saves one: a page begins below the page before it if paper lies alike. Plots grow into
what room is left. Everything is measured in units of the device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

SHARED = 0.3  # share of their growth that plots keep where pages share sheets: below it they would be too small
HALVINGS = 12  # of the share of their growth that all plots can have
ROUNDING = 1e-6

Draw = Callable[[QPainter, QRectF], None]


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of a page that is never parted.

    height : units of the device;  most : to what it may grow on a sheet that has room, ``height`` if it does not
    draw   : draws it in a rectangle of that height
    keeps  : whether it must not be the last on a sheet, as a heading
    again  : what is drawn first on the next sheet if the pieces are parted before this one: the head of a table
    gap    : whether it is room between others, which is not needed at the top of a sheet
    """

    height: float
    draw: Draw
    most: float = 0.0
    keeps: bool = False
    again: Piece | None = None
    gap: bool = False

    def grown(self, share: float) -> float:
        """Height with so much of the growth that it may have."""
        return self.height + share * max(0.0, self.most - self.height)


@dataclass
class Sheet:
    """Pieces with their places on one sheet of paper; ``kinds`` are those of the pages that they are of."""

    landscape: bool
    kinds: tuple[str, ...] = ()
    placed: list[tuple[Piece, QRectF]] = field(default_factory=list)

    def draw(self, painter: QPainter) -> None:
        """Draw all pieces."""
        for piece, place in self.placed:
            piece.draw(painter, place)


@dataclass(frozen=True, eq=False)
class Section:
    """A page of a report before it has sheets: its pieces, and the area that they may fill on each.

    alone : whether it shares its sheets with no other page
    """

    kind: str
    pieces: tuple[Piece, ...]
    area: QRectF
    landscape: bool
    alone: bool = False


def space(points: float, point: float) -> Piece:
    """Room between blocks; ``point`` : units in a point."""
    return Piece(points * point, lambda painter, place: None, gap=True)


def arranged(sections: Sequence[Section], between: Piece) -> list[Sheet]:
    """Sheets of all sections; a section shares sheets with those before it if fewer are needed then.

    between : room above a section that does not begin a sheet
    """
    runs: list[list[Section]] = []
    for section in sections:
        if runs and _can_share(runs[-1][0], section):
            apart = _count(runs[-1], between, SHARED if len(runs[-1]) > 1 else 0.0) + _count([section], between, 0.0)
            if _count([*runs[-1], section], between, SHARED) < apart:
                runs[-1].append(section)
                continue
        runs.append([section])
    return [sheet for run in runs for sheet in _sheets(run, between)]


def flowed(section: Section) -> list[Sheet]:
    """Sheets that one section fills."""
    return _sheets([section], space(0.0, 1.0))


# ----------------------------------------------------------------------------------------------------- breaking sheets
@dataclass(frozen=True, eq=False)
class _Part:
    """A piece, the kind of its page, and the height that it has for now."""

    piece: Piece
    kind: str
    height: float


def _can_share(one: Section, other: Section) -> bool:
    return one.landscape == other.landscape and one.area == other.area and not (one.alone or other.alone)


def _count(run: Sequence[Section], between: Piece, share: float) -> int:
    """Sheets of a run, where plots have that share of their growth; what is higher than a sheet counts twice."""
    broken = list(_broken(run, between, share))
    high = run[0].area.height()
    return len(broken) + sum(sum(part.height for part in parts) > high + ROUNDING for parts in broken)


def _sheets(run: Sequence[Section], between: Piece) -> list[Sheet]:
    """Sheets of sections that share them: plots as large as they can be without a further sheet."""
    low = SHARED if len(run) > 1 else 0.0
    least, high = _count(run, between, low), 1.0
    if _count(run, between, high) == least:
        low = high
    else:
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if _count(run, between, middle) == least else (low, middle)
    return [_placed(run[0], parts) for parts in _broken(run, between, low)]


def _broken(run: Sequence[Section], between: Piece, share: float) -> Iterator[list[_Part]]:
    """Parts of each sheet."""
    bottom = run[0].area.height()
    pieces = [
        (piece, section.kind)
        for k, section in enumerate(run)
        for piece in ((between, *section.pieces) if k else section.pieces)
    ]
    sheet: list[_Part] = []
    k = 0
    while k < len(pieces):
        last = k  # what must stay together with the piece after it
        while pieces[last][0].keeps and last + 1 < len(pieces):
            last += 1
        group = [_Part(piece, kind, piece.grown(share)) for piece, kind in pieces[k : last + 1]]
        used = sum(part.height for part in sheet)
        if sheet and not group[0].piece.gap and used + sum(part.height for part in group) > bottom + ROUNDING:
            yield sheet
            head = group[0].piece.again
            sheet = [] if head is None else [_Part(head, group[0].kind, head.height)]
        if sheet or not group[0].piece.gap:
            sheet += group
        k = last + 1
    if sheet:
        yield sheet


def _placed(section: Section, parts: Sequence[_Part]) -> Sheet:
    """A sheet on which plots take what room is left, each in proportion to what it lacks."""
    area = section.area
    while parts[-1].piece.gap and len(parts) > 1:
        parts = parts[:-1]
    lacking = [max(0.0, part.piece.most - part.height) for part in parts]
    left = max(0.0, area.height() - sum(part.height for part in parts))
    share = min(1.0, left / sum(lacking)) if sum(lacking) > 0.0 else 0.0
    sheet, y = Sheet(section.landscape, tuple(dict.fromkeys(part.kind for part in parts))), area.top()
    for part, more in zip(parts, lacking, strict=True):
        high = part.height + share * more
        sheet.placed.append((part.piece, QRectF(area.left(), y, area.width(), high)))
        y += high
    return sheet
