"""Mass, centre of mass and inertia tensor of every segment of a person, from a published table and the static pose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from biomec.base.arrays import FloatArray, read_only
from biomec.base.errors import BiomecError, DescriptionError
from biomec.base.fields import PERCENT, setting, shipped
from biomec.base.frozen import FrozenDict
from biomec.base.notices import Notice, info, warning
from biomec.base.toml_table import did_you_mean
from biomec.body.anatomy.frames import Points
from biomec.body.anatomy.inertia_pose import InertiaPose, SegmentInertia, UnplacedInertia
from biomec.body.anatomy.inertia_table import (
    GIRDLE,
    PART_OF,
    ROWS,
    SEXES,
    TORSO_CHOICES,
    TORSO_FROM_IJ,
    UPPER_BODY,
    InertiaEntry,
    InertiaTable,
    load_girdle,
    load_inertia_table,
    physical_fault,
    shipped_girdles,
)

__all__ = ["BodyInertia", "InertiaOptions", "SegmentInertia", "UnplacedInertia", "body_inertia"]

SPLIT_TABLE, WHOLE_TORSO_TABLE, PARTS_TABLE = "dumas-wojtusch-2018", "dumas-2007", "winter-2009"
REVISED_CENTRES = {SPLIT_TABLE: {"shoulder-dumas-2007": "shoulder-dumas-2018"}}
"""Table -> method for a joint centre -> the method that its authors revised together with the table ([Dumas2018])."""
LUMBAR_TOP = "T12L1"  # centre between the twelfth thoracic and the first lumbar vertebra

RowShare = tuple[str, str | None, float]
"""Row of the table, side ("D", "E" or None), share of the row's mass."""

GIRDLES = {"proportional": "0.18 % and 0.82 % of the body mass", "quental-2012": "Quental 2012: 0.2 kg and 1.4 kg"}
"""Shipped masses of the shoulder girdle -> what people call them."""


@dataclass(frozen=True)
class InertiaOptions:
    """How a person's inertia is estimated.

    table              : name of a shipped table, or a file that ends with .toml
    rescale            : multiply all masses of the table by one factor, so that a whole body weighs what the person
                         weighs; off takes them literally
    torso              : "split-2018" (thorax and abdomen of 2018, combined; needs T12L1), "diagonal" (2007 without
                         products of inertia), "literal" (as printed), or "auto": the first of these that is possible
    girdle             : clavicle and scapula: "proportional" (0.18 % and 0.82 % of the body mass), "quental-2012"
                         (0.2 kg and 1.4 kg), or a file that ends with .toml
    forearm_ulna_share : the ulna's part of the forearm's mass where a model has ulna and radius
    """

    table: str = setting(
        "dumas-2007", "Inertia table", "Published masses, centres and tensors.", choices=partial(shipped, "inertia"),
        files=True)  # fmt: skip
    rescale: bool = setting(
        True, "Scale to the body mass", "All masses by one factor, so that the body weighs what the person weighs."
    )
    torso: str = setting(
        "auto", "Torso", "How the tensor of the torso is taken; auto takes the first that is possible.",
        choices={"auto": "automatic", "split-2018": "thorax and abdomen of 2018",
        "diagonal": "2007, without products of inertia", "literal": "as printed"})  # fmt: skip
    girdle: str = setting(
        "proportional", "Shoulder girdle", "Masses of clavicles and scapulae.",
        choices=lambda: {name: GIRDLES.get(name, name) for name in shipped_girdles()}, files=True)  # fmt: skip
    forearm_ulna_share: float = setting(
        0.5, "Ulna's share of the forearm", "Where a model has ulna and radius.", unit="%", factor=PERCENT, least=0.0
    )

    def __post_init__(self) -> None:
        if self.torso not in TORSO_CHOICES:
            raise DescriptionError(f'The torso can be {", ".join(TORSO_CHOICES)}, not "{self.torso}".')
        if not 0.0 < self.forearm_ulna_share < 1.0:
            raise DescriptionError(
                f"The ulna's share of the forearm is {self.forearm_ulna_share:g}; it must lie between 0 and 1."
            )


@dataclass(frozen=True, eq=False)
class BodyInertia:
    """Inertia of the segments of a person.

    literal_sum : what the segments of the whole table weigh together, in % of the body mass
    """

    segments: Mapping[str, SegmentInertia]
    literal_sum: float
    options: InertiaOptions = InertiaOptions()
    notices: tuple[Notice, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", FrozenDict(dict(self.segments)))

    @property
    def mass(self) -> float:
        """Mass of all segments together [kg]."""
        return sum(segment.mass for segment in self.segments.values())

    @property
    def com_W(self) -> FloatArray:
        """Centre of mass of all segments together in the static pose (3,) [m]."""
        moments = [segment.mass * segment.com_W for segment in self.segments.values()]
        return np.asarray(np.sum(moments, axis=0) / self.mass)


def body_inertia(
    rows: Mapping[str, RowShare],
    points: Points,
    *,
    mass_kg: float,
    height_m: float,
    sex: str,
    options: InertiaOptions = InertiaOptions(),
) -> BodyInertia:
    """Inertia of the segments of a person in the static pose.

        m = p/100 · m_body      r_CM = L (x, y, z)/100      J = m L² (r/100)²            [Dumas2007]

    L, origin and axes are those of the table and not of the segment's kinematic frame. On the left the centre's z and
    the products xz and yz change sign, because Z points to the subject's right on both sides. Segments that the model
    does not have leave the others as they are: legs alone weigh what legs weigh.

    rows   : segment -> row of the table, side, share of the row's mass. Clavicles and scapulae that are among them are
             taken off the torso, whose mass includes them in the table; its tensor shrinks in proportion. So are a
             neck off the head, and toes off the foot.
    points : landmarks and joint centres of the static pose, name -> (3,) laboratory position [m]; NaN counts as missing
    sex    : "male" or "female"
    """
    person = _Person(InertiaPose(points, height_m, sex), mass_kg, options)
    shares = _shares(rows, options)
    person.pose.notices.extend(_incomplete(shares))
    girdle_kg = {name: person.girdle_mass(row, share) for name, (row, _, share) in shares.items() if row in GIRDLE}
    factor = person.rescale_factor(bool(girdle_kg))
    carriers = [name for wanted in ("torso", "thorax") for name, (row, _, _) in shares.items() if row == wanted]
    carrier = "" if person.table.girdle_taken_off or not carriers else carriers[0]
    if carrier and girdle_kg:
        person.pose.notices.append(
            info(
                "girdle-taken-off",
                f"The {carrier} is {sum(girdle_kg.values()):.2f} kg lighter than in the table {person.table.name}, "
                f"which counts the shoulder girdle as part of it; clavicles and scapulae are {person.girdle.name}.",
                carrier,
                *girdle_kg,
            )
        )
    segments = {}
    for name, (row, side, share) in shares.items():
        if row in GIRDLE:
            mass = girdle_kg[name]
        else:
            mass = factor * share * person.percent(row) / 100.0 * mass_kg
            mass -= sum(girdle_kg.values()) if name == carrier else 0.0
            mass -= factor * mass_kg / 100.0 * person.percent_apart(row, side, shares)
        if not mass > 0.0:
            raise BiomecError(
                f"Inertia of the {name}: nothing is left of its mass when the shoulder girdle "
                f"({sum(girdle_kg.values()):.2f} kg) is taken off. Choose the proportional girdle, or check the "
                f"body mass."
            )
        segments[name] = person.torso(name, mass) if row == "torso" else person.segment(name, row, side, mass)
        fault = physical_fault(segments[name].J_W)
        if fault:
            raise BiomecError(
                f"Inertia of the {name} ({segments[name].source}): no body has such a tensor, because {fault}. "
                f"Choose another inertia table, or correct its row {row}."
            )
    literal = person.table.total_percent(sex)
    return BodyInertia(segments, literal, options, tuple(dict.fromkeys(person.pose.notices)))


class _Person:
    """The static pose, the person and the tables, while segments are computed one by one."""

    def __init__(self, pose: InertiaPose, mass_kg: float, options: InertiaOptions) -> None:
        for what, value, limit, unit in (("mass", mass_kg, 500.0, "kg"), ("stature", pose.height_m, 3.0, "m")):
            if not 0.0 < value < limit:
                raise BiomecError(f"A body {what} of {value:g} {unit} is impossible. Check the number and its unit.")
        if pose.sex not in SEXES:
            raise BiomecError(f'The inertia tables know male and female, not "{pose.sex}". Say which one to take.')
        self.pose, self.sex, self.mass_kg, self.options = pose, pose.sex, mass_kg, options
        self.table = load_inertia_table(options.table)
        self.girdle = load_girdle(options.girdle)

    # ------------------------------------------------------------------------------------------------------- masses
    def percent(self, row: str) -> float:
        """Mass of a row in % of the body mass; the torso is thorax and abdomen together where they are apart."""
        if row == "torso" and "torso" not in self.table:
            return self.percent("thorax") + self.percent("abdomen")
        return self.table_of(row).entry(row, self.sex).mass

    def percent_apart(self, row: str, side: str | None, shares: Mapping[str, RowShare]) -> float:
        """Mass in % of the body mass that a row includes and other segments of the model carry: the toes of a foot."""
        apart = [part for part, owner in PART_OF.items() if owner == row]
        return sum(share * self.percent(part) for part, at, share in shares.values() if part in apart and at == side)

    def table_of(self, row: str) -> InertiaTable:
        """Table that a row comes from: thorax and abdomen apart are only in the later one, neck and toes in one."""
        if row in ("thorax", "abdomen") and row not in self.table:
            return self.split_table
        if row in PART_OF and row not in self.table:
            return load_inertia_table(PARTS_TABLE)
        if row == UPPER_BODY and row not in self.table:
            return load_inertia_table(WHOLE_TORSO_TABLE)
        return self.girdle if row in GIRDLE else self.table

    @cached_property
    def split_table(self) -> InertiaTable:
        return load_inertia_table(SPLIT_TABLE)

    def girdle_mass(self, row: str, share: float) -> float:
        entry = self.girdle.entry(row, self.sex)
        return share * (entry.mass if entry.absolute else entry.mass / 100.0 * self.mass_kg)

    def rescale_factor(self, with_girdle: bool) -> float:
        """Factor that makes the whole table weigh what the person weighs."""
        if not self.options.rescale:
            return 1.0
        if not self.table.whole:
            self.pose.notices.append(
                info(
                    "mass-not-rescaled",
                    f"The table {self.table.name} does not cover the whole body; its masses are used unscaled.",
                )
            )
            return 1.0
        apart = with_girdle and self.table.girdle_taken_off
        rest = self.mass_kg - (2.0 * sum(self.girdle_mass(row, 1.0) for row in GIRDLE) if apart else 0.0)
        percent = self.table.total_percent(self.sex)
        factor = rest / (percent / 100.0 * self.mass_kg)
        self.pose.notices.append(
            info(
                "mass-rescaled",
                f"The segments of the table {self.table.name} weigh {percent:.1f} % of the body together; their masses "
                f"are multiplied by {factor:.4f}, so that a whole body weighs {self.mass_kg:g} kg.",
            )
        )
        return factor

    # ----------------------------------------------------------------------------------------------------- segments
    def segment(self, name: str, row_name: str, side: str | None, mass: float) -> SegmentInertia:
        """Segment of one row."""
        table = self.table_of(row_name)
        entry = table.entry(row_name, self.sex)
        if entry.not_physical:
            raise BiomecError(
                f"The {self.sex} {row_name} of the inertia table {table.name} cannot be taken literally: "
                f'{entry.not_physical}. Choose torso = "diagonal", or "split-2018" where the landmark {LUMBAR_TOP} '
                f"can be found."
            )
        return self.pose.place(name, table, table.row(row_name), entry, side, mass)

    def torso(self, name: str, mass: float) -> SegmentInertia:
        """Thorax and abdomen as one segment, by the chosen way."""
        whole = {"CAC", "CAL"} <= set(self.pose.points)
        choice = self.options.torso if self.options.torso != "auto" else self.table.torso if whole else "auto"
        if choice == "auto":
            choice = "split-2018" if whole and LUMBAR_TOP in self.pose.points else "diagonal"
            if choice == "diagonal":
                self.pose.notices.append(
                    info(
                        "torso-without-products",
                        f"There is no {LUMBAR_TOP} between CAC and CAL, so that thorax and abdomen cannot be told "
                        f"apart; the torso of 2007 is taken without its doubtful products of inertia.",
                        name,
                    )
                )
        if choice == "split-2018":
            return self._combined(name, mass)
        if choice == "literal":
            return self.segment(name, "torso", None, mass)
        wanted = "torso" if whole else TORSO_FROM_IJ
        table = self.table if wanted in self.table else load_inertia_table(WHOLE_TORSO_TABLE)
        row, entry = table.row(wanted), table.entry(wanted, self.sex)
        diagonal = InertiaEntry(entry.mass, entry.com, np.diag(np.diag(entry.shape)), entry.length_mm)
        return self.pose.place(name, table, row, diagonal, None, mass)

    def _combined(self, name: str, mass: float) -> SegmentInertia:
        """Thorax and abdomen joined at their common centre of mass: J = Σ J_i + m_i (|d_i|² 1 − d_i d_iᵀ)."""
        if LUMBAR_TOP not in self.pose.points:
            raise BiomecError(
                f"Inertia of the {name}: thorax and abdomen cannot be separated without the landmark {LUMBAR_TOP}. "
                f'Add a marker on T12, or choose torso = "diagonal".'
            )
        percent = {row: self.table_of(row).entry(row, self.sex).mass for row in ("thorax", "abdomen")}
        parts = [self.segment(name, row, None, mass * part / sum(percent.values())) for row, part in percent.items()]
        com_W = np.sum([part.mass * part.com_W for part in parts], axis=0) / mass
        J_W = np.zeros((3, 3))
        for part in parts:
            d = part.com_W - com_W
            J_W += part.J_W + part.mass * (d @ d * np.eye(3) - np.outer(d, d))
        length = sum(part.length for part in parts)
        source = f"{self.table_of('thorax').name}: thorax and abdomen"
        return SegmentInertia("torso", mass, read_only(com_W), read_only(J_W), length, source)


def _shares(rows: Mapping[str, RowShare], options: InertiaOptions) -> dict[str, RowShare]:
    """Rows after the forearm was divided between ulna and radius; every one checked."""
    bones = {"ulna": options.forearm_ulna_share, "radius": 1.0 - options.forearm_ulna_share}
    found: dict[str, RowShare] = {}
    for name, (row, side, share) in rows.items():
        if row not in ROWS:
            raise DescriptionError(
                f'Inertia of the {name}: no table has a row "{row}"{did_you_mean(row, ROWS)} Rows are '
                f"{', '.join(ROWS)}."
            )
        if side not in (None, "D", "E"):
            raise DescriptionError(f'Inertia of the {name}: the side is D (right) or E (left), not "{side}".')
        if not 0.0 < share <= 1.0:
            raise DescriptionError(f"Inertia of the {name}: a share of {share:g} of a row's mass is impossible.")
        if row == "forearm" and share < 1.0:
            share = bones.get(name.split()[-1], share)
        found[name] = (row, side, share)
    return found


def _incomplete(shares: Mapping[str, RowShare]) -> list[Notice]:
    """Notices of rows that are taken only in part; a sentence if one is taken more than once."""
    notices = []
    for row, side in dict.fromkeys((row, side) for row, side, _ in shares.values()):
        names = [name for name, share in shares.items() if share[:2] == (row, side)]
        total = sum(shares[name][2] for name in names)
        if total > 1.0 + 1e-9:
            raise DescriptionError(
                f"{' and '.join(names)} take {100 * total:.0f} % of the {row}'s mass together. Correct their shares."
            )
        if total < 1.0 - 1e-9:
            notices.append(
                warning(
                    "mass-share-missing",
                    f"Only {100 * total:.0f} % of the {row}'s mass is carried, by {' and '.join(names)}; the rest "
                    f"is lost.",
                    *names,
                )
            )
    return notices
