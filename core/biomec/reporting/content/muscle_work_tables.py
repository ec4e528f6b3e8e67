"""Tables about what muscles do: who makes each torque where it is greatest, and the work and power of muscles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from biomec.body.muscles.muscle_work import TorqueMaker, TorquePeak
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.muscle_cycles import SIDES
from biomec.reporting.tables import NOTHING, Table, number, percent

NAMED = 3  # muscles that a cell names
LEAST_SHARE = 0.05  # of a torque: less is not named
NO_BREAK = "\u00a0"  # a space at which no line ends
LEAST_J = 0.1  # work given and taken together: less is not listed


def torque_table(analysis: Analysis) -> Table:
    """Greatest torques in both senses, the muscles that make them and those that work against them."""
    rows = tuple(
        (one.title.capitalize(), number(one.torque_Nm, 1), makers_text(one), against_text(one),
         percent(one.reserve) if abs(one.reserve) >= 0.01 else NOTHING)
        for one in _by_joint(analysis.muscles.torque_peaks)
    )  # fmt: skip
    columns = ("Torque", "Greatest [N·m]", "Made by", "Against it", "By no muscle")
    note = (
        "Whole muscles, in the frame of the greatest torque among those whose loads can be used. Shares of all "
        "muscles, those against it negative, of the ribs and of what no muscle makes add up to 100 %."
    )
    return Table("Who makes the torques of the joints", columns, rows, note)


def _by_joint(peaks: Sequence[TorquePeak]) -> list[TorquePeak]:
    """From the trunk outwards, joint by joint and sense by sense, right before left."""
    stems = list(dict.fromkeys(_unsided(one.joint) for one in reversed(peaks)))
    return sorted(
        peaks,
        key=lambda one: (stems.index(_unsided(one.joint)), _unsided(one.title), not one.title.startswith(SIDES[0])),
    )


def _unsided(name: str) -> str:
    side, _, rest = name.partition(" ")
    return rest if side in SIDES else name


def makers_text(peak: TorquePeak) -> str:
    """The muscles that give most, with their shares."""
    return _named([one for one in peak.makers if one.share >= LEAST_SHARE][:NAMED])


def against_text(peak: TorquePeak) -> str:
    """The muscles that work against it most."""
    return _named([one for one in reversed(peak.makers) if one.share <= -LEAST_SHARE][:NAMED])


def _named(makers: list[TorqueMaker]) -> str:
    shares = (number(100.0 * one.share, 0, "%").replace(" ", NO_BREAK) for one in makers)
    return "; ".join(f"{one.name} {share}" for one, share in zip(makers, shares, strict=True)) or NOTHING


def work_table(analysis: Analysis) -> Table:
    """Work given and taken and greatest power of whole muscles, right and left."""
    found = analysis.muscles
    work, elements = found.work, found.fitted.muscles
    rows = []
    for group in dict.fromkeys(one.group for one in elements):
        cells, whole = [], 0.0
        for side in SIDES:
            which = [m for m, one in enumerate(elements) if one.group == group and one.side and one.side.value == side]
            if not which or not work.seconds[which].any():
                cells += [NOTHING] * 4
                continue
            given, taken = float(work.given[which].sum()), float(work.taken[which].sum())
            power = work.power[:, which].sum(axis=1)[work.counted[:, which].all(axis=1)]
            high, low = float(np.nanmax(power, initial=0.0)), float(np.nanmin(power, initial=0.0))
            whole = max(whole, given + taken)
            cells += [number(given, 1), number(taken, 1), number(high, 0), number(low, 0)]
        if whole >= LEAST_J:
            rows.append((group.capitalize(), *cells))
    heads = ("Given [J]", "Taken [J]", "Most [W]", "Least [W]")
    note = (
        "Given: work while a muscle shortens; taken: while it is stretched. Power above 0 is given, below 0 taken. "
        f"Over the frames in which the loads of its joints can be used ({_seconds(analysis)}); tendons included."
    )
    return Table("Work and power of muscles, right and left", ("Muscle", *heads, *heads), tuple(rows), note)


def _seconds(analysis: Analysis) -> str:
    seconds = analysis.muscles.work.seconds
    seconds = seconds[seconds > 0.0]
    if not seconds.size:
        return "none"
    low, high = float(seconds.min()), float(seconds.max())
    return f"{high:.1f} s" if high - low < 0.05 else f"{low:.1f} to {high:.1f} s"
