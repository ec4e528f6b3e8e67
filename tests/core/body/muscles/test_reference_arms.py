"""Muscles of published models over their own skeletons: lengths, moment arms and forces that OpenSim 4.6 found."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.base.arrays import FloatArray
from biomec.body.loads.newton_euler import newton_euler
from biomec.body.muscles.crossings import pulls_beyond
from biomec.body.muscles.set_file import load_muscle_set
from biomec.engine.forces.hill_curves import CURVES
from biomec.engine.forces.hill_muscle import HillParameters, rigid_tendon
from biomec.engine.paths.cords import CordPaths
from biomec.engine.paths.surfaces import WRAPPED
from biomec.engine.tree.joint_tree import path_signs
from tests.core.body.loads.opensim_walk import read_walk
from tests.core.body.muscles.reference_frames import reference_frames
from tests.oracles.source_chain import ShoulderChain, SourceChain
from tests.real_data import recording

REACTION_N = 0.1  # of some 4000 N
DIGITS = 1.01e-6  # m: lengths and arms of the table have six decimals, each rounded
ZERO_POSE = ("lower_gait2392", "lower_rajagopal2016", "upper_arm26")  # the others stand in their default pose

# OpenSim slides the points of tangency until they are good to a degree, and lays ellipsoids approximately: paths that
# touch one differ by these [m]. Of two surfaces in a row it reports lengths shorter than the chords between its own
# points, while its moment arms hold; such lengths are not compared.
WRAPPING = {
    "lower_rajagopal2016": 2e-4, "upper_arm26": 1.5e-4, "upper_tsm": 6e-4, "upper_das4": 1e-5,
}  # fmt: skip
WORST = {("lower_rajagopal2016", "gasmed_r"): 6.1e-4}  # two cylinders, near extension
SHORTER_THAN_CHORDS = {"gasmed_r", "Infraspinatus_S"}
# OpenSim's arm of a point that moves with the angle of a joint of three axes is not the slope of its own lengths:
# between the poses of the table these lengthen by 14 mm per radian on average from 10° to 35°, as ours do
NOT_A_SLOPE = {"LatissimusDorsi_M"}


@cache
def chain(model: str) -> SourceChain:
    text = (recording("muscles") / f"{model}.toml").read_text("utf-8")
    return ShoulderChain(text, model) if model == "upper_tsm" else SourceChain(text, model)


@cache
def table() -> dict[str, list[dict[str, str]]]:
    lines = (recording("muscles") / "ref_moment_arms.csv").read_text("utf-8").splitlines()
    found = defaultdict(list)
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        found[row["model"]].append(row)
    return found


def pose(model: str, coordinate: str, degrees: float) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates and rates of a row of the table."""
    source, angle = chain(model), float(np.radians(degrees))
    if model in ZERO_POSE:
        angle -= 5e-7  # a conditional point ends at 45° as six digits have it: on the side where OpenSim is
        return {**dict.fromkeys(source.defaults, 0.0), coordinate: angle}, {coordinate: 1.0}
    if not isinstance(source, ShoulderChain):
        return {**source.defaults, coordinate: angle}, {coordinate: 1.0}
    rest = source.closed(source.defaults)
    if coordinate == "shoulder_elv":
        return {**rest, coordinate: angle}, {coordinate: 1.0}
    values = source.closed({**rest, coordinate: angle})
    return values, source.rates(values, coordinate)


@cache
def traced(model: str, coordinate: str, degrees: float) -> CordPaths:
    """Paths of a row, whose speeds are minus the moment arms."""
    return chain(model).trace(*pose(model, coordinate, degrees))


@pytest.mark.parametrize(
    "model", ["lower_gait2392", "lower_rajagopal2016", "upper_arm26", "upper_tsm", "upper_das4", "upper_wrist"]
)
def test_reference_lengths_and_moment_arms_come_out(model: str) -> None:
    """Every row of the published table, those of paths that are known to be wrong among them."""
    names, misses = chain(model).cords.names, []
    for row in table()[model]:
        at = row["coordinate"], float(row["angle_deg"])
        paths, name = traced(model, *at), row["muscle"]
        m = names.index(name if name.endswith("_r") else f"{name}_r")
        touching = bool(paths.status[0, m] & WRAPPED)
        limit = WORST.get((model, name), WRAPPING[model]) if touching else DIGITS
        length, arm = paths.length[0, m] - float(row["L_opensim_m"]), -paths.speed[0, m] - float(row["r_opensim_m"])
        if name not in SHORTER_THAN_CHORDS and abs(length) > limit:
            misses.append((name, at, "length", length))
        if abs(arm) > (2e-3 if name in NOT_A_SLOPE else limit):
            misses.append((name, at, "arm", arm))
    assert not misses


def test_moment_arms_of_wrapped_legs_agree_with_opensim_nearly_everywhere() -> None:
    """Of 70 rows, 95 % within 0.2 mm and all within 2 mm, half of them to the last digit."""
    errors, names = [], chain("lower_rajagopal2016").cords.names
    for row in table()["lower_rajagopal2016"]:
        paths = traced("lower_rajagopal2016", row["coordinate"], float(row["angle_deg"]))
        arm = -paths.speed[0, names.index(row["muscle"])]
        errors.append(abs(arm - float(row["r_opensim_m"])))
    assert np.median(errors) < DIGITS
    assert np.quantile(errors, 0.95) < 2e-4
    assert max(errors) < 2e-3


@pytest.mark.parametrize(
    ("model", "coordinates"),
    [
        ("lower_gait2392", ("hip_flexion_r", "hip_adduction_r", "hip_rotation_r", "knee_angle_r", "ankle_angle_r")),
        ("lower_rajagopal2016", ("hip_flexion_r", "hip_rotation_r", "knee_angle_r", "ankle_angle_r")),
        ("upper_das4", ("GH_y", "GH_z", "GH_yy", "EL_x", "PS_y")),
        ("upper_wrist", ("flexion", "deviation")),
    ],
)
def test_moment_arms_are_slopes_of_lengths(model: str, coordinates: tuple[str, ...]) -> None:
    """Central differences with 1e-5 rad, the active set frozen: 1e-7 m without, 1e-6 m with a surface."""
    source, rng, step = chain(model), np.random.default_rng(5), 1e-5
    rest = dict.fromkeys(source.defaults, 0.0) if model in ZERO_POSE else source.defaults
    free = wrapped = 0
    for coordinate in coordinates:
        low, high = next(
            one["range"] for joint in source.tables["joint"] for one in joint.get("coordinates", [])
            if one["name"] == coordinate
        )  # fmt: skip
        at = float(rng.uniform(max(low, -1.2), min(high, 1.2)))
        exact = source.trace({**rest, coordinate: at}, {coordinate: 1.0})
        ends = [source.lengths({**rest, coordinate: at + sign * step}) for sign in (1.0, -1.0)]
        slope = (ends[0].length - ends[1].length)[0] / (2.0 * step)
        same = (exact.status == ends[0].status) & (exact.status == ends[1].status)
        touching = (exact.status & WRAPPED)[0] != 0
        error = np.where(same[0], np.abs(slope - exact.speed[0]), 0.0)
        assert same.mean() > 0.97
        assert error[~touching].max() < 1e-7
        assert error[touching].max(initial=0.0) < 1e-6
        free, wrapped = free + int((~touching).sum()), wrapped + int(touching.sum())
    assert free > 10
    assert model not in ("lower_rajagopal2016", "upper_das4") or wrapped > 20


@pytest.mark.parametrize("model", ["lower_gait2392", "lower_rajagopal2016"])
def test_left_muscles_of_a_file_mirror_the_right_ones(model: str) -> None:
    """Both legs bent alike: surfaces on the pelvis, the patella and moving points included; files of six digits."""
    source = chain(model)
    bent = {
        "hip_flexion": 0.4,
        "hip_adduction": -0.1,
        "knee_angle": 0.8 if "raja" in model else -0.8,
        "ankle_angle": 0.1,
    }
    paths = source.lengths({f"{name}_{side}": value for name, value in bent.items() for side in "rl"})
    names = source.cords.names
    right = [k for k, name in enumerate(names) if name.endswith("_r")]
    left = [names.index(f"{names[k][:-2]}_l") for k in right]
    assert_allclose(paths.length[0, left], paths.length[0, right], rtol=0, atol=2e-5)
    assert (paths.status[0, left] == paths.status[0, right]).all()


@cache
def walked() -> tuple[tuple[str, ...], FloatArray, FloatArray, FloatArray]:
    """Names; lengths, speeds (T, M) of the frames of a walk, and arms (T, M, K), traced over the source's skeleton."""
    source, given = chain("lower_gait2354_subject01"), reference_frames()
    frames = json.loads((recording("muscles") / "ref_static_optimisation.json").read_text("utf-8"))
    frames.pop("_meta")
    lengths, speeds, arms = [], [], []
    for frame in frames.values():
        moving = source.trace(frame["q"], frame["u"])
        lengths.append(moving.length[0])
        speeds.append(moving.speed[0])
        arms.append(np.stack([-source.trace(frame["q"], {row: 1.0}).speed[0] for row in given.rows], axis=-1))
    return source.cords.names, np.array(lengths), np.array(speeds), np.array(arms)


def test_lengths_speeds_and_arms_of_a_walk_are_those_of_opensim() -> None:
    """The file has nine digits; speeds rest on rates of nine digits of several angles."""
    given = reference_frames()
    names, length, speed, arms = walked()
    pick = [given.muscles.index(name) for name in names]
    assert sorted(pick) == list(range(54))
    assert_allclose(length, given.length[:, pick], rtol=0, atol=1e-9)
    assert_allclose(speed, given.speed[:, pick], rtol=0, atol=2e-9)
    assert_allclose(arms, given.arms[:, pick], rtol=0, atol=1e-9)


def test_forces_of_a_walk_are_those_of_opensim() -> None:
    """Thelen's curves with a rigid tendon; nine digits in the file, so 5e-9 of the force."""
    given = reference_frames()
    names, length, speed, _ = walked()
    muscles = [chain("lower_gait2354_subject01").muscles[name] for name in names]
    hill = HillParameters(
        *(np.array([getattr(one, key) for one in muscles]) for key in ("fmax", "lopt", "lts", "pennation", "vmax"))
    )
    force = rigid_tendon(hill, length, speed, CURVES["thelen"]).optimum
    assert_allclose(force, given.optimum[:, [given.muscles.index(name) for name in names]], rtol=2e-8)


def test_joint_reactions_of_a_walk_are_those_of_opensim() -> None:
    """Inverse dynamics of the same model and trial minus what the muscles transmit, ground axes.

    OpenSim's forces are of its own activations; its coordinates were filtered by a tool that pads the ends otherwise.
    """
    walk = read_walk(recording("gait_opensim2354"))
    loads = newton_euler(walk.tree, walk.motion, walk.q, walk.external)
    source = chain("lower_gait2354_subject01")
    frames = json.loads((recording("muscles") / "ref_static_optimisation.json").read_text("utf-8"))
    frames.pop("_meta")
    names = [body.name for body in walk.tree.system.bodies]
    signs = path_signs(walk.tree)
    for frame in frames.values():
        t = int(np.abs(walk.time_s - frame["t"]).argmin())
        assert abs(walk.time_s[t] - frame["t"]) < 1e-3
        paths = source.lengths(frame["q"])
        force = np.array([frame["a_opensim"][name] * frame["Fopt"][name] for name in source.cords.names])
        for joint, published in frame["joint_reaction_opensim_on_child_ground_N"].items():
            j = loads.index(joint)
            beyond = np.array([name in names and signs[names.index(name), j] != 0.0 for name in source.cords.bodies])
            pulls = pulls_beyond(paths.pull, paths.pair_cord, paths.pair_body, len(force), beyond)[0]
            ours = loads.force[t, j] - force @ pulls[:, :3]
            assert_allclose(ours, published, rtol=0, atol=REACTION_N, err_msg=f"{joint} at {frame['t']:.2f} s")


SHIPPED = {
    "gait2392": "lower_gait2392", "arm26": "upper_arm26", "das4": "upper_das4", "shoulder": "upper_tsm",
}  # fmt: skip


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_sets_hold_the_numbers_of_their_sources(name: str) -> None:
    """Forces, lengths, points and surfaces to 1e-12, of every element that is shipped."""
    source = {one.name: one for one in chain(SHIPPED[name]).muscles.muscles}
    for ours in load_muscle_set(name).muscles:
        theirs = source[ours.name]
        for key in ("fmax", "lopt", "lts", "pennation", "vmax"):
            assert getattr(ours, key) == pytest.approx(getattr(theirs, key), rel=1e-12), (ours.name, key)
        assert len(ours.points) == len(theirs.points)
        for one, other in zip(ours.points, theirs.points, strict=True):
            assert (one.body, one.coordinate, one.range) == (other.body, other.coordinate, other.range)
            assert_allclose(one.at, other.at, rtol=0, atol=1e-12)
        assert [use.wrap for use in ours.wraps] == [use.wrap for use in theirs.wraps]
        for use in ours.wraps:
            one, other = ours.source.wraps[use.wrap], theirs.source.wraps[use.wrap]
            assert_allclose([*one.centre, *one.size], [*other.centre, *other.size], rtol=0, atol=1e-12)
