"""The neck stands still: programme, residual, fibres, and a tenth of a second of simulation without a blow."""

import numpy as np
import pytest
from scipy.optimize import minimize

from biomec.base.errors import BiomecError
from biomec.engine.forces.hill_curves import THELEN
from biomec.engine.forces.hill_muscle import elastic_rate
from biomec.engine.forces.muscle_kernels import one_muscle
from biomec.engine.forces.pulses import triangle
from biomec.machines.head_neck import equilibrium
from biomec.machines.head_neck.equilibrium import find_equilibrium, nearest_between
from biomec.machines.head_neck.impact import PRESETS, Blow, ImpactOptions, simulate_impact
from biomec.machines.head_neck.model import CONTACTS, DISCS, LIGAMENTS, MUSCLES, POINTS, file_text, load_head_neck
from biomec.machines.head_neck.sweeps import Trial, row_of


def test_the_programme_has_the_optimum_of_another_solver():
    rng = np.random.default_rng(1)
    for trial in range(4):
        A, target = rng.normal(size=(6, 20)), 0.2 * rng.random(20)
        b, highest = A @ rng.random(20), np.where(np.arange(20) < 15, 1.0, np.inf)
        u = nearest_between(A, b, target, highest)
        other = minimize(
            lambda x, t=target: 0.5 * (x - t) @ (x - t), np.full(20, 0.5), jac=lambda x, t=target: x - t,
            bounds=[(0.0, None if h == np.inf else h) for h in highest],
            constraints={"type": "eq", "fun": lambda x, A=A, b=b: A @ x - b, "jac": lambda x, A=A: A},
            method="SLSQP", options={"ftol": 1e-14, "maxiter": 500},
        )  # fmt: skip
        assert u is not None, trial
        np.testing.assert_allclose(A @ u, b, atol=1e-8)
        np.testing.assert_allclose(u, other.x, atol=1e-5)  # the other solver stops at steps of 1e-6
    assert nearest_between(np.ones((1, 3)), np.array([-1.0]), np.zeros(3), np.ones(3)) is None


def test_nothing_is_left_and_every_muscle_holds_its_force(neck, neck_at_rest):
    assert neck_at_rest.residual < 1e-6  # the acceptance; 2e-12 is found
    force, muscles = neck_at_rest.force, neck_at_rest.tables.muscles
    assert ((force >= 0.0) & (force <= muscles.fmax)).all()
    assert ((neck_at_rest.excitation >= 0.0) & (neck_at_rest.excitation <= 1.0)).all()
    np.testing.assert_allclose(force[::2], force[1::2], atol=1e-8)  # right and left
    lengths = [
        sum(
            np.linalg.norm(
                np.diff([neck.p[b] + neck.R[b] @ x for b, x in zip(one.bodies, one.points, strict=True)], axis=0),
                axis=1,
            )
        )
        for one in neck.muscles
    ]
    for m, length in enumerate(lengths):
        fibre = neck_at_rest.state.y[76 + m]
        speed, pull = elastic_rate(one_muscle(muscles, m), length, fibre, neck_at_rest.excitation[m], THELEN)
        assert pull == pytest.approx(force[m], abs=1e-9)
        if force[m] > 0.0:
            assert abs(speed) < 1e-9  # the fibre stands still


def test_preloads_and_free_lengths_carry_the_head(neck, neck_at_rest):
    """Both levels without a disc are pressed by more than the weight above, since muscles pull down too."""
    weight = 4.69 * 9.81
    preload = neck_at_rest.preload
    assert set(preload) == {one.name for one in neck.contacts if one.preloaded}
    condyles = preload["condyle C1-C0 right"] + preload["condyle C1-C0 left"]
    facets = preload["facet C2-C1 right"] + preload["facet C2-C1 left"]
    assert 1.0 < condyles / weight < facets / weight < 3.0
    for disc in neck.discs:
        free, placed = neck_at_rest.rest[disc.name], next(b.place for b in neck.bones if b.name == disc.upper)
        assert free[2] > placed[2]  # compressed
        assert free[1] == pytest.approx(0.0, abs=1e-12)


def test_without_a_blow_the_pose_stands_still(neck_at_rest):
    """Less than 0.1 mm and 1e-3 rad in 100 ms; 1e-16 m and 1e-14 rad are found."""
    silent = Blow(triangle(1e-12, 2e-4, 7e-4), np.zeros(3), (-1.0, 0.0, 0.0))
    impact = simulate_impact(
        neck_at_rest, silent, ImpactOptions(duration_s=0.1, every_s=1e-3, method="Runge-Kutta", step_s=2e-5)
    )
    moved = np.abs(impact.z - impact.z[0]).max(axis=(0, 1))
    assert moved[:3].max() < 1e-4
    assert moved[3:].max() < 1e-3


def test_a_tensed_neck_rests_too_and_presses_harder(neck, neck_at_rest):
    braced = find_equilibrium(neck, 0.2)
    assert braced.residual < 1e-6
    assert braced.force.sum() > 2.0 * neck_at_rest.force.sum()
    assert sum(braced.preload.values()) > sum(neck_at_rest.preload.values())
    with pytest.raises(BiomecError, match="bracing of 1 is impossible"):
        find_equilibrium(neck, 1.0)


@pytest.mark.parametrize("bracing", [0.02, 0.22, 0.4, 0.56, 0.95])
def test_a_neck_is_found_at_rest_at_any_bracing(neck, bracing):
    """Linear programming finds that all of them can stand; near the optimum the dual grows by less than its rounding.

    2.6e-11 is left at most, of 0, 0.01, ... 0.98: rounding of forces near 1e3 N.
    """
    assert find_equilibrium(neck, bracing).residual < 1e-9


def test_a_search_without_an_end_is_not_called_impossible(monkeypatch):
    monkeypatch.setattr(equilibrium, "STEPS", 1)
    A = np.random.default_rng(1).normal(size=(6, 20))
    with pytest.raises(BiomecError, match=r"did not converge in 1 steps.*does not mean that no forces hold"):
        nearest_between(A, A @ np.linspace(0.0, 1.0, 20), np.full(20, 0.2), np.ones(20))


def test_a_neck_that_nothing_holds_is_refused(tmp_path):
    flat = (
        file_text(CONTACTS).replace(",-0.2,0.35,0.94", ",0.6,0.35,0.94").replace(",-0.2,-0.35,0.94", ",0.6,-0.35,0.94")
    )
    (tmp_path / CONTACTS).write_text(flat, encoding="utf-8")
    with pytest.raises(BiomecError, match="no muscle forces and preloads hold the neck"):
        find_equilibrium(load_head_neck(folder=tmp_path))


def edited(table, column, value, rows):
    """A table with another value in a column of rows that are chosen by their cells."""
    head, *lines = file_text(table).splitlines()
    k = head.split(",").index(column)
    cells = [line.split(",") for line in lines]
    return (
        "\n".join([head, *(",".join([*one[:k], value, *one[k + 1 :]] if rows(one) else one) for one in cells)]) + "\n"
    )


NOT_STILL = [
    (CONTACTS, "gap [mm]", "-0.5", lambda row: row[0] == "facet C6-C5 left", r"C5 does not stand still on C6; \d.* N"),
    (CONTACTS, "gap [mm]", "0.5", lambda row: row[-1] == "yes", r"facet C2-C1 right.*: its gap is 0.5 mm, but a prel"),
    (DISCS, "kz- [N/m]", "0", lambda row: row[0] == "C4-C3", r"disc C4-C3 must carry \d.* N along z, and has no stiff"),
    (DISCS, "upper", "C7", lambda row: row[0] == "C7-C6", r"discs.csv, line 3 .*: C7 stands on the disc T1-C7 already"),
]


@pytest.mark.parametrize(("table", "column", "value", "rows", "sentence"), NOT_STILL)
def test_a_neck_that_would_not_stand_still_is_refused(tmp_path, table, column, value, rows, sentence):
    """All of these went on from a pose that began to move at once."""
    (tmp_path / table).write_text(edited(table, column, value, rows), encoding="utf-8")
    with pytest.raises(BiomecError, match=sentence):
        find_equilibrium(load_head_neck(folder=tmp_path))


@pytest.mark.parametrize(
    "tables", [(DISCS,), (CONTACTS,), (MUSCLES, POINTS), (MUSCLES, POINTS, DISCS, CONTACTS, LIGAMENTS)]
)
def test_a_neck_without_what_holds_it_gets_a_sentence(tmp_path, tables):
    for name in tables:
        (tmp_path / name).write_text(file_text(name).splitlines()[0], encoding="utf-8")
    with pytest.raises(BiomecError, match="no muscle forces and preloads hold the neck"):
        find_equilibrium(load_head_neck(folder=tmp_path))


def test_a_neck_without_ligaments_rests_and_is_hit(tmp_path, neck_at_rest):
    """Ligaments are slack in the initial pose, so the muscles hold the same forces without them."""
    (tmp_path / LIGAMENTS).write_text(file_text(LIGAMENTS).splitlines()[0], encoding="utf-8")
    found = find_equilibrium(load_head_neck(folder=tmp_path))
    np.testing.assert_allclose(found.force, neck_at_rest.force, atol=1e-9)  # rounding of forces up to 1e2 N
    row = row_of(Trial("frontal", found, PRESETS["frontal"], ImpactOptions(duration_s=0.002)))
    assert row.status == "completed"
    assert row.figures["ligament_share"] == 0.0
