"""A tour of the multibody engine: results beside closed forms in a table, and the mechanisms in pictures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

from examples.engine_tour import stops
from examples.engine_tour.checks import Check, header
from examples.engine_tour.human_figure import draw_human
from examples.engine_tour.mechanisms import animate_mechanisms, draw_mechanisms
from examples.engine_tour.stops import Expected, MechanismTurn, SmallSwings, SolvedTree

EXPLANATION = """
Result and expected value: where they differ most. DoF: degrees of freedom. ·: depends on the machine, not judged."""


@dataclass(frozen=True)
class Tour:
    """What the tour found: the lines of its table, and what its pictures show."""

    checks: tuple[Check, ...]
    pendulum: SmallSwings
    four_bar: MechanismTurn
    slider_crank: MechanismTurn
    parallelogram: MechanismTurn
    bennett: MechanismTurn
    human: SolvedTree


def main(out_dir: Path, *, frames: int = 1834, pictures_in_animation: int = 40, expected: Expected = Expected()) -> int:
    """Print the table and write the pictures into ``out_dir``; 0 when every check holds, otherwise 1.

    frames : of the human-like tree
    """
    if isinstance(sys.stdout, TextIOWrapper):  # where the terminal has no ✓ or Φ, show a ? instead of stopping
        sys.stdout.reconfigure(errors="replace")
    out_dir.mkdir(parents=True, exist_ok=True)
    print("Preparing the engine (the first start compiles it, which takes up to half a minute) ...", flush=True)
    stops.warm_up()
    print(EXPLANATION, header(), sep="\n\n")
    tour = visit(frames, expected)
    print("\nDrawing ...", flush=True)
    written = draw(tour, out_dir, pictures_in_animation)
    print("Written: " + ", ".join(str(path) for path in written))
    print(verdict(tour.checks))
    return 0 if all(check.passed is not False for check in tour.checks) else 1


def visit(frames: int, expected: Expected) -> Tour:
    """Visit every stop and print its lines as soon as they are known."""
    checks: list[Check] = []

    def note(found: Sequence[Check]) -> None:
        checks.extend(found)
        print(*found, sep="\n", flush=True)

    found, pendulum = stops.swinging_rods()
    note(found)
    found, four_bar = stops.four_bar_turn()
    note(found)
    found, slider_crank = stops.slider_crank_turn()
    note(found)
    found, parallelogram = stops.parallelogram_turn()
    note(found)
    found, bennett = stops.bennett_turn(expected)
    note(found)
    note(stops.spatial_chain())
    note(stops.human_counts(expected))
    found, human = stops.human_consistency(frames, expected)
    note(found)
    return Tour(tuple(checks), pendulum, four_bar, slider_crank, parallelogram, bennett, human)


def draw(tour: Tour, out_dir: Path, pictures: int) -> list[Path]:
    """Write the two figures and the animation of ``pictures`` pictures; the files written."""
    files = [out_dir / name for name in ("mechanisms.png", "human.png", "mechanisms.gif")]
    draw_mechanisms(files[0], tour.four_bar, tour.slider_crank, tour.parallelogram, tour.bennett, tour.pendulum)
    draw_human(files[1], tour.human)
    animate_mechanisms(files[2], tour.four_bar, tour.slider_crank, tour.bennett, pictures)
    return files


def verdict(checks: Sequence[Check]) -> str:
    """Say in one sentence whether all checks hold, and which do not."""
    failed = [f"{check.mechanism}, {check.compared}" for check in checks if check.passed is False]
    judged = sum(check.passed is not None for check in checks)
    if not failed:
        return f"All {judged} checks hold."
    return f"{len(failed)} of {judged} checks failed: {'; '.join(failed)}."
