"""The model and its files: published counts, masses and moments, units, switches, refusals, points for 3-D tools."""

from collections import Counter

import numpy as np
import pytest

from biomec.base.errors import BiomecError, FileError
from biomec.base.physics import GRAVITY
from biomec.machines.head_neck.compiled_model import laid_out
from biomec.machines.head_neck.model import (
    BONES,
    COLUMNS,
    DISCS,
    FILES,
    LIGAMENTS,
    MILLISECONDS,
    MUSCLES,
    POINTS,
    PRODUCT,
    RADIANS,
    SHARED,
    SHIFTED,
    ModelOptions,
    file_text,
    load_head_neck,
)
from biomec.machines.head_neck.points import exported_points, with_points
from biomec.machines.head_neck.tables import UNITS, read_rows
from biomec.machines.machine import load_machine


def test_the_published_counts(neck):
    assert (len(neck.bones), neck.freedoms, len(neck.discs)) == (8, 48, 6)
    assert (len(neck.muscles), len(neck.ligaments), len(neck.contacts)) == (76, 82, 24)
    kinds = Counter(one.name.split()[0] for one in neck.contacts)
    assert kinds == {"facet": 14, "condyle": 2, "dens": 1, "spinous": 7}  # 8 levels × 2, dens, 7 pairs of processes
    assert Counter(one.name.split()[0] for one in neck.ligaments)["capsular"] == 48
    assert sum(one.name.endswith("left") for one in neck.muscles) == 38


def test_masses_places_and_moments_of_the_weight(neck):
    """Figures that follow from the published table of bones."""
    assert neck.mass == pytest.approx(6.32, abs=1e-12)
    np.testing.assert_allclose(1e3 * neck.p["C0"], [4.47, 0.0, 137.73], atol=0.005)
    com = neck.p["C0"] + neck.R["C0"] @ neck.head_com
    np.testing.assert_allclose(1e3 * com, [31.62, 0.0, 180.63], atol=0.005)
    assert np.arcsin(-neck.R["C0"][2, 0]) == pytest.approx(0.0035, abs=5e-5)
    moments = []
    for k, bone in enumerate(neck.bones):
        above = neck.bones[k:]
        lever = [neck.p[b.name] + neck.R[b.name] @ b.com - neck.p[bone.name] for b in above]
        moments.append(sum(GRAVITY * b.mass * arm[0] for b, arm in zip(above, lever, strict=True)))
    np.testing.assert_allclose(moments, [1.440, 1.084, 0.840, 0.862, 0.956, 1.123, 1.235, 1.249], atol=6e-4)
    principal = 1e4 * np.linalg.eigvalsh(neck.bones[-1].inertia)
    np.testing.assert_allclose(principal, [105.9, 236.0, 248.0], atol=0.15)


def test_paths_of_muscles_are_as_long_as_in_the_source_of_their_points(neck):
    """Registration keeps straight distances within a body; between bodies, paths of up to 18 cm agree to 12 mm.

    The neutral pose of that model is not this one: the tolerance is a check of the order, not of accuracy.
    """
    published = {"sternomastoid": 177.6, "scalenus medius": 111.5, "trapezius acromion": 173.3,
                 "obliquus capitis inferior": 52.6, "semispinalis capitis C0-thorax": 131.9,
                 "longus colli C5-thorax": 109.4}  # fmt: skip
    layout = laid_out(neck)
    first = layout.tables.muscle_lines.first
    for name, length in published.items():
        one = next(m for m in neck.muscles if m.name == f"{name} right")
        at = [neck.p[b] + neck.R[b] @ point for b, point in zip(one.bodies, one.points, strict=True)]
        assert 1e3 * np.linalg.norm(np.diff(at, axis=0), axis=1).sum() == pytest.approx(length, abs=12.0)
    assert first[-1] == sum(len(one.bodies) for one in neck.muscles)


def test_left_mirrors_right(neck):
    pairs = {one.name.rsplit(" ", 1)[0]: one for one in neck.muscles if one.name.endswith("right")}
    for one in neck.muscles:
        if one.name.endswith("left"):
            np.testing.assert_array_equal(one.points, pairs[one.name.rsplit(" ", 1)[0]].points * [1, -1, 1])


def test_switches_change_what_they_say(neck):
    def one(model, name):
        return next(x for x in model.ligaments if x.name.startswith(name))

    lower = load_head_neck(ModelOptions(ligament_levels=SHIFTED))
    assert len(lower.ligaments) == 82
    assert (one(neck, "flavum C1-C2").stiffness, one(lower, "flavum C2-C3").stiffness) == (16100.0, 16100.0)
    assert {x.upper for x in lower.ligaments if x.name.startswith("interspinous")} == {
        "C2",
        "C3",
        "C4",
        "C5",
        "C6",
        "C7",
    }
    assert not any(x.name.startswith("flavum C6-C7") for x in neck.ligaments)
    assert one(load_head_neck(ModelOptions(capsular=SHARED)), "capsular C0-C1").stiffness == pytest.approx(16300.0 / 3)
    assert one(load_head_neck(ModelOptions(damping_unit=MILLISECONDS)), "alar").damping == pytest.approx(0.04)
    turned = load_head_neck(ModelOptions(disc_unit=RADIANS)).discs[0].stiffness
    np.testing.assert_allclose(turned[:, [3, 5]], [[0.33, 0.42]] * 2)
    np.testing.assert_allclose(neck.discs[0].stiffness[:, [3, 5]], np.rad2deg([[0.33, 0.42]] * 2))
    assert load_head_neck(ModelOptions(product=PRODUCT)).bones[-1].inertia[0, 2] == -neck.bones[-1].inertia[0, 2]
    helmet = load_head_neck(ModelOptions(helmet_kg=1.5))
    assert helmet.mass - neck.mass == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("name", "old", "new", "factor"),
    [(BONES, "mass [kg]", "mass [g]", 1e3), (LIGAMENTS, "k [N/m]", "k [N/mm]", 1e-3),
     (DISCS, "kphi_x- [N·m/deg]", "kphi_x- [N·m/rad]", np.rad2deg(1.0)), (MUSCLES, "l0 [m]", "l0 [mm]", 1e3)],
)  # fmt: skip
def test_a_number_may_have_another_unit(tmp_path, neck, name, old, new, factor):
    head, *lines = file_text(name).splitlines()
    k = head.split(",").index(old)
    changed = [line.split(",") for line in lines]
    for cells in changed:
        cells[k] = str(float(cells[k]) * factor)
    text = "\n".join([head.replace(old, new), *(",".join(cells) for cells in changed)])
    (tmp_path / name).write_text(text, encoding="utf-8")
    model = load_head_neck(folder=tmp_path)
    for ours, theirs in zip(laid_out(neck).tables[2:8], laid_out(model).tables[2:8], strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-14)


REFUSED = [
    (POINTS, "sternomastoid,T1", "sternomastoid,T9", "there is no bone T9. The bones are T1, C7"),
    (POINTS, "sternomastoid,C0", "sternomastoid,T1", "fewer than two bones"),
    (LIGAMENTS, "16900,0.4", "-16900,0.4", "k is -16900 and must be above 0"),
    (DISCS, "T1-C7,T1,C7,50000", "T1-C7,T1,C7,-50000", "kx- is -50000 and must not be negative"),
    (DISCS, "C7-C6,C7,C6", "C7-C6,T1,C6", "lower is T1, but C6 stands on C7 (bones.csv). Write C7 under lower"),
    (DISCS, "T1-C7,T1,C7", "T1-C7,C7,T1", "upper is T1, which stands on no other bone"),
    (DISCS, "-0.1553", "0.1553", "push itself out of place"),
    (BONES, "C7,T1,0.22", "C7,T1,0", "mass is 0 and must be above 0"),
    (BONES, "C6,C7", "C6,C9", "there is no bone C9 above this line"),
    (BONES, "mass [kg]", "mass [N]", "column mass is in N, and needs one of kg, g"),
    (BONES, "C7,T1,0.22", "C7,T1,heavy", "mass is “heavy”, which is not a number"),
    (MUSCLES, "ls [m],", "", "the column ls is missing"),
    (MUSCLES, "68.950,", "", "values under"),
    (LIGAMENTS, "C [s]", "damping [s]", "there is no column damping"),
    ("contacts.csv", "facet T1-C7 right,C7,T1", "facet T1-C7 right,C7,C7", "both belong to C7"),
]


@pytest.mark.parametrize(("name", "old", "new", "sentence"), REFUSED)
def test_a_wrong_file_gets_a_sentence(tmp_path, name, old, new, sentence):
    text = file_text(name)
    assert old in text
    (tmp_path / name).write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(FileError) as found:
        load_head_neck(folder=tmp_path)
    assert sentence in str(found.value)
    assert str(found.value).startswith((name, MUSCLES))


def test_points_go_to_a_3d_tool_and_come_back(neck, tmp_path):
    for axes in ("ground", "body"):
        back = with_points(neck, exported_points(neck, axes))
        for ours, theirs in zip(neck.muscles, back.muscles, strict=True):
            np.testing.assert_allclose(ours.points, theirs.points, atol=1e-9)  # nine digits of millimetres
        for ours, theirs in zip(neck.contacts, back.contacts, strict=True):
            np.testing.assert_allclose(ours.point, theirs.point, atol=1e-9)
    head = "element,part,body,axes,x [mm],y [mm],z [mm]\n"
    picked = "trapezius acromion,1,T1,body,-10,-160,5\ntrapezius acromion,2,C7,body,-50,-3,10\n"
    picked = f"{head}{picked}alar left,upper,C0,body,4,12,-4\n"
    (tmp_path / "points.csv").write_text(picked, encoding="utf-8")
    model = load_head_neck(folder=tmp_path)
    right, left = (
        next(m for m in model.muscles if m.name == f"trapezius acromion {side}") for side in ("right", "left")
    )
    np.testing.assert_allclose(right.points[0], [-0.01, -0.16, 0.005])
    np.testing.assert_allclose(left.points, right.points * [1, -1, 1])
    assert next(one for one in model.ligaments if one.name == "alar left").upper_point[1] == pytest.approx(0.012)
    wrong = {"alar left,upper,C11,body,0,0,0": "there is no bone C11", "alae,upper,C0,body,0,0,0": "alae",
             "alar left,middle,C0,body,0,0,0": "write upper or lower"}  # fmt: skip
    for rows, sentence in wrong.items():
        with pytest.raises(BiomecError, match=sentence):
            with_points(neck, head + rows)


def test_the_machine_has_the_bones_of_the_table(neck):
    system = load_machine("head-neck").system
    for bone, body in zip(neck.bones, system.bodies, strict=True):
        assert (body.name, body.mass) == (bone.name, bone.mass)
        np.testing.assert_allclose(body.inertia_matrix, bone.inertia, atol=1e-15)
        np.testing.assert_allclose(body.points["com"], bone.com, atol=1e-15)
        np.testing.assert_allclose(body.position, neck.p[bone.name], atol=1e-12)
        np.testing.assert_allclose(body.attitude_matrix, neck.R[bone.name], atol=1e-11)
    assert system.residual(system.reference) == pytest.approx(0.0, abs=1e-11)


def test_every_file_has_the_columns_that_are_read():
    assert set(COLUMNS) == set(FILES)
    for name, columns in COLUMNS.items():
        assert read_rows(file_text(name), name, columns)
    assert UNITS["N·m/deg"][1] == pytest.approx(180 / np.pi)
