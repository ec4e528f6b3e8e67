"""The engine tour, as `python -m examples.engine_tour` shows it: a table of checks, two figures and an animation."""

from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="the desktop part is not installed")

from PIL import Image

from examples.engine_tour import main, verdict
from examples.engine_tour.checks import agree, at_most, same_counts, shown
from examples.engine_tour.stops import Expected
from tests.places import DOCS

MECHANISMS = (
    "rod pendulum", "double pendulum", "four-bar", "slider-crank", "parallelogram", "Bennett's linkage",
    "chain of 10 rods", "human-like tree",
)  # fmt: skip


@pytest.fixture(scope="module")
def tour(tmp_path_factory):
    """One run of the whole tour, with few frames: its folder, its exit code and what it printed."""
    folder = tmp_path_factory.mktemp("tour") / "made" / "by the tour"
    with redirect_stdout(StringIO()) as said:
        code = main(folder, frames=48, pictures_in_animation=4)
    return folder, code, said.getvalue()


def test_every_check_of_every_mechanism_holds(tour):
    _, code, said = tour
    assert code == 0
    lines = said.splitlines()
    for mechanism in MECHANISMS:
        rows = [line for line in lines if line.startswith(("✓", "✗", "·")) and f"  {mechanism}  " in line]
        assert rows, mechanism
        assert not [row for row in rows if row.startswith("✗")]
        assert any(row.startswith("✓") for row in rows)
    assert lines[-1] == "All 18 checks hold."


def test_the_counts_of_the_engine_are_in_the_table(tour):
    said = tour[2]
    for counts in ("48/54/47/7/1", "252/214/6/44", "226/220/32"):
        assert said.count(counts) == 2  # the result, and what is expected
    assert "48 frames: most iterations" in said


def test_lines_stay_within_a_wide_terminal(tour):
    assert max(map(len, tour[2].split("\nDrawing")[0].splitlines())) <= 120


def test_the_files_named_at_the_end_are_there(tour):
    folder, _, said = tour
    written = sorted(path.name for path in folder.iterdir())
    assert written == ["human.png", "mechanisms.gif", "mechanisms.png"]
    assert all(str(folder / name) in said for name in written)


@pytest.mark.parametrize("name", ["mechanisms.png", "human.png"])
def test_figures_have_something_in_every_panel(tour, name):
    pixels = np.asarray(Image.open(tour[0] / name).convert("RGB"))
    assert pixels.shape[0] > 800
    assert pixels.shape[1] > 1500
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 200  # smooth edges of coloured lines
    for half in np.array_split(pixels, 2, axis=0):
        for panel in np.array_split(half, 3, axis=1):
            coloured = np.ptp(panel, axis=-1) > 60
            assert coloured.sum() > 1000


def test_the_animation_moves_and_is_small(tour):
    path = tour[0] / "mechanisms.gif"
    with Image.open(path) as film:
        assert film.n_frames == 4
        assert film.info["loop"] == 0
        pictures = []
        for k in range(film.n_frames):
            film.seek(k)
            pictures.append(np.asarray(film.convert("RGB")))
    for one, next_ in pairwise(pictures):
        for before, after in zip(*(np.array_split(picture, 3, axis=1) for picture in (one, next_)), strict=True):
            assert (before != after).any(axis=-1).sum() > 100  # each of the three mechanisms has moved
    assert path.stat().st_size < 200_000  # at this rate the 40 pictures of the real one stay below 2 MB


def test_drawing_leaves_nothing_behind_in_pyplot(tour):
    from matplotlib import pyplot

    assert pyplot.get_fignums() == []


def test_a_check_that_fails_is_named_and_gives_exit_code_1(tmp_path, capsys):
    wrong = replace(Expected(), human=(252, 214, 6, 45), iterations=2)
    assert main(tmp_path, frames=8, pictures_in_animation=2, expected=wrong) == 1
    said = capsys.readouterr().out.splitlines()
    failed = [line.split()[0:2] for line in said if line.startswith("✗")]
    assert failed == [["✗", "human-like"]] * 3
    assert said[-1] == (
        "3 of 18 checks failed: human-like tree, coordinates/rows/redundant/DoF; human-like tree, "
        "8 frames: most iterations; human-like tree, the same, held: most iterations."
    )


def test_numbers_are_compared_where_they_differ_most():
    check = agree("m", "x", [1.0, 2.0, 3.0], [1.0, 2.5, 3.25], allowed=0.6)
    assert (check.value, check.expected, check.difference, check.passed) == ("2.000000", "2.500000", "5e-01", True)
    assert not agree("m", "x", 1.0, 2.0, allowed=0.5).passed


def test_a_result_that_is_missing_fails():
    assert agree("m", "x", [1.0, np.nan], [1.0, 2.0], allowed=1.0).passed is False
    assert at_most("m", "x", np.nan, 1.0, ".1e").passed is False


def test_what_is_only_shown_does_not_fail():
    checks = [same_counts("m", "n", (1, 2), (1, 2)), shown("m", "time", "3 ms")]
    assert verdict(checks) == "All 1 checks hold."


def test_the_page_about_the_tour_shows_its_table(tour):
    page = (DOCS / "engine-tour.md").read_text(encoding="utf-8")
    rows = [line[22:63].strip() for line in tour[2].splitlines() if line.startswith(("✓", "·"))]
    assert len(rows) == 21
    for compared in rows:
        assert compared.replace("48 frames", "1834 frames") in page
