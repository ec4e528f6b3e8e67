"""Contact laws on two spheres, their factors, and closest points, for users of the window and the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.cli.program import run as main
from biomec.machines.machine import load_machine
from biomec.machines.studies import study
from biomec.machines.study import options_from


def answer(key, **options):
    chosen = study(key)
    machine = load_machine("knee-prosthesis")
    assert chosen.refusal(machine) is None
    return chosen.run(machine, options_from(chosen, options), None)


def test_two_spheres_by_every_law_have_the_published_figures():
    """Restitution, force, duration and loss as an independent program found them."""
    run = answer("contact-laws")
    published = {"hertz": (334.57, 1.0), "hunt-crossley": (304.78, 0.7680), "herbert-mcwhannell": (302.89, 0.7227),
                 "lee-wang": (313.61, 0.8693), "lankarani-nikravesh": (306.58, 0.7960), "gonthier": (302.20, 0.6696),
                 "zhiying-qishao": (302.15, 0.6796), "flores": (302.17, 0.6832)}  # fmt: skip
    for law, (force, restitution) in published.items():
        assert run.figures[f"{law}_restitution"] == pytest.approx(restitution, abs=6e-5)
        assert run.figures[f"{law}_force_max_N"] == pytest.approx(force, rel=2.5e-4)  # a peak between two samples
        assert law in run.text
    assert len(run.files["spheres.csv"].splitlines()) == 9


def test_the_factor_of_flores_is_the_published_curve():
    run = answer("contact-laws")
    values = {one.name: one.values for one in run.curves}
    assert run.over == "Restitution: restitution"
    at = np.interp([0.05, 0.1, 0.2, 0.4, 0.7, 1.0], values["restitution"], values["flores"])
    # straight lines between 96 samples of 1/c_r: 0.3 % where it bends most
    assert at == pytest.approx([30.4, 14.4, 6.4, 2.4, 0.6857, 0.0], rel=3e-3, abs=1e-12)
    assert values["hertz"] == pytest.approx(0.0)


def test_closest_points_of_a_circle_and_a_line_are_those_of_the_closed_form():
    run = answer("contact-points", first="circle 0.003225", second="line -0.041905 -3.9743", second_pose="0.02 0 0")
    slope, intercept = -3.9743, -0.041905
    distance = abs(-slope * (0.0 - 0.02) + 0.0 - intercept) / np.hypot(slope, 1.0)
    assert run.figures["gap_mm"] == pytest.approx(1e3 * (distance - 0.003225), abs=1e-9)


def test_closest_points_of_two_circles_lie_on_their_centre_line():
    run = answer("contact-points", first="circle 0.02", second="circle 0.03", second_pose="0.03 0.04 0")
    assert run.figures["gap_mm"] == pytest.approx(0.0, abs=1e-9)
    assert run.figures["first_angle_deg"] == pytest.approx(np.rad2deg(np.arctan2(4.0, 3.0)))


@pytest.mark.parametrize(
    ("options", "words"),
    [({"first": "square 1"}, "not an outline"), ({"first": "circle"}, "circle needs 1 number"),
     ({"second_pose": "1 2"}, "second pose needs 3 numbers")],
)  # fmt: skip
def test_what_is_no_outline_is_refused_in_words(options, words):
    with pytest.raises(BiomecError, match=words):
        answer("contact-points", **options)


def test_the_table_of_laws_is_printed_by_the_command_line(capsys):
    assert main(["mechanism", "knee-prosthesis", "--analysis", "contact-laws", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["flores_restitution"] == pytest.approx(0.6832, abs=1e-4)
