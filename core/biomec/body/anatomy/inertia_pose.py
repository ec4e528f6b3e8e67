"""Inertia of one segment: the numbers of a table, placed on the landmarks of a static pose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError, DescriptionError
from biomec.base.notices import Notice, info, warning
from biomec.body.anatomy.frames import Points
from biomec.body.anatomy.inertia_table import InertiaEntry, InertiaRow, InertiaTable

IMPLAUSIBLE = 2.0  # a length so many times longer or shorter than the stature suggests is probably a wrong landmark


class UnplacedInertia(BiomecError):
    """The static pose lacks landmarks on which the inertia of a segment is built; ``why`` says which."""

    def __init__(self, segment: str, lacking: list[str]) -> None:
        super().__init__(
            f"Inertia of the {segment}: the static pose has no usable {', '.join(lacking)}, on which its inertia is "
            f"built. Add these landmarks to the static, or leave the segment out of the model."
        )
        self.segment = segment
        self.why = f"its inertia cannot be placed, because the static pose has no usable {', '.join(lacking)}"


@dataclass(frozen=True, eq=False)
class SegmentInertia:
    """Inertia of a segment in the static pose.

    mass   : [kg]
    com_W  : (3,) centre of mass in the laboratory [m]
    J_W    : (3, 3) tensor at the centre of mass in laboratory axes [kg m²] (off-diagonals −∫xy dm)
    length : what the table's percentages were taken of [m]
    source : table and row
    """

    row: str
    mass: float
    com_W: FloatArray
    J_W: FloatArray
    length: float
    source: str


@dataclass
class InertiaPose:
    """A person who stands still, on whose landmarks tables are placed; gathers notices on the way.

    points : name -> (3,) laboratory position [m]; those that are missing or NaN are left out
    """

    points: Points
    height_m: float
    sex: str
    notices: list[Notice] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.points = {
            name: np.asarray(p, dtype=np.float64)
            for name, p in self.points.items()
            if np.shape(p) == (3,) and np.isfinite(p).all()
        }

    def place(
        self, name: str, table: InertiaTable, row: InertiaRow, entry: InertiaEntry, side: str | None, mass: float
    ) -> SegmentInertia:
        """Numbers of a row at its landmarks. ``side`` is "D", "E" or None; ``mass`` is the segment's [kg]."""
        if row.sided and side is None:
            raise DescriptionError(f'Inertia of the {name}: the row "{row.name}" needs a side, D or E.')
        row = row.on(side)
        sign = -1.0 if side == "E" else 1.0
        mirror = np.array([1.0, 1.0, sign])
        length = self._length(name, table, row, entry)
        self._need(name, row.com_of or (row.origin,))
        R_WB = self._attitude(name, row, sign)
        if row.com_of:
            com_W = np.mean([self.points[point] for point in row.com_of], axis=0)
        else:
            com_W = self.points[row.origin] + R_WB @ (mirror * entry.com / 100.0 * length)
        J = entry.tensor(mass, length) * np.outer(mirror, mirror)
        source = f"{table.name}: {row.name}"
        return SegmentInertia(row.name, mass, read_only(com_W), read_only(R_WB @ J @ R_WB.T), length, source)

    def _length(self, name: str, table: InertiaTable, row: InertiaRow, entry: InertiaEntry) -> float:
        if not row.length_from:
            return self.height_m
        stature = table.reference_stature_m.get(self.sex)
        expected = (
            None if entry.length_mm is None or stature is None else entry.length_mm / 1e3 * self.height_m / stature
        )
        ends = (*row.length_from, *row.length_to)
        lacking = [point for point in ends if point not in self.points]
        if not lacking:
            near, far = (
                np.mean([self.points[point] for point in end], axis=0) for end in (row.length_from, row.length_to)
            )
            length = float(np.linalg.norm(far - near))
            if expected is not None and not 1.0 / IMPLAUSIBLE < length / expected < IMPLAUSIBLE:
                self.notices.append(
                    warning(
                        "implausible-length",
                        f"The {name} measures {1e3 * length:.0f} mm between {' and '.join(dict.fromkeys(ends))}, where "
                        f"a person of {self.height_m:.2f} m has about {1e3 * expected:.0f} mm. Check these landmarks "
                        f"and the stature: the inertia grows with the square of the length.",
                        name,
                    )
                )
            return length
        if expected is None:
            raise UnplacedInertia(name, lacking)
        self.notices.append(
            info(
                "length-from-stature",
                f"The length of the {name} is estimated from the stature ({1e3 * expected:.0f} mm), because the static "
                f"pose has no {', '.join(lacking)}.",
                name,
            )
        )
        return expected

    def _attitude(self, name: str, row: InertiaRow, side: float) -> FloatArray:
        """Attitude of the inertial frame: the first one whose landmarks are there and not in line."""
        for k, frame in enumerate(row.frames):
            needed = [point for _, direction in frame.axes for point in direction.landmarks]
            if not all(point in self.points for point in needed):
                continue
            R_WB = frame.attitude(self.points, side)
            if not np.isfinite(R_WB).all():
                continue
            if k:
                self.notices.append(
                    info(
                        "inertial-frame-substitute",
                        f"The axes of the inertia of the {name} are built on {', '.join(dict.fromkeys(needed))}, "
                        f"because the landmarks of the table are not all there.",
                        name,
                    )
                )
            return R_WB
        needed = [point for _, direction in row.frames[0].axes for point in direction.landmarks]
        raise UnplacedInertia(name, [point for point in dict.fromkeys(needed) if point not in self.points] or needed)

    def _need(self, name: str, landmarks: Iterable[str]) -> None:
        lacking = [point for point in landmarks if point not in self.points]
        if lacking:
            raise UnplacedInertia(name, lacking)
