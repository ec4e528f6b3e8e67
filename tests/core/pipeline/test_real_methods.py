"""A published walk with many markers by both measures of nearness; why marker sets choose as they do.

Figures are properties of the tests: ``pytest -o junit_family=xunit1 --junit-xml=…``. Tests skip where the recording is
absent.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.body.anatomy.inertia import InertiaOptions
from biomec.body.anatomy.subject_model import ModelOptions
from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.body.loads.dynamic_options import DynamicOptions
from biomec.body.loads.load_components import LoadReading
from biomec.body.loads.options import LoadOptions
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.load_reading import read_loads
from biomec.pipeline.settings import AnalysisSettings, BodySettings, SignalSettings
from biomec.recording import Session, Subject
from biomec.reporting.demo import true_angles
from biomec.reporting.statistics.angle_ranges import angle_errors
from biomec.signals import CutoffChoice, FilterOptions
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, Walk, record
from biomec_resources import resource
from tests.core.body.kinematics.real_motion import agreement
from tests.core.body.loads.opensim_walk import storage
from tests.core.body.loads.rajagopal_walk import (
    EVERYTHING,
    EXCHANGED,
    SEGMENTS,
    PublishedWalk,
    exchanged,
    our_leg,
    published_walk,
)
from tests.real_data import recording

BOTH = {method: AnalysisSettings(positions=ConsistencyOptions(method=method)) for method in ("coordinates", "markers")}
SIDES = ("right", "left")


@pytest.fixture(scope="module")
def walk() -> dict[str, Analysis]:
    """Method -> the walk of Rajagopal's model up to its joint angles."""
    folder = recording("gait_rajagopal")
    files = {"static": folder / "static_walk_1.trc", "plates": folder / "grf_walk.mot"}
    subject = Subject("adult", "male", 85.07, 1.829)
    start = Analysis(import_session(folder / "motion_capture_walk.trc", subject=subject, **files)).run_until("body")
    return {method: start.with_settings(settings).run_until("angles") for method, settings in BOTH.items()}


def test_the_set_chooses_the_nearest_markers(walk):
    start = walk["markers"].with_settings(AnalysisSettings())
    chosen = start.run("positions").positions
    assert chosen.options.method == "markers"
    np.testing.assert_array_equal(chosen.q, walk["markers"].positions.q)


@pytest.mark.parametrize("side", SIDES)
def test_knees_and_ankles_are_nearer_to_the_published_ones_by_nearest_markers(walk, side, record_property):
    table = storage(recording("gait_rajagopal", "reference", "coordinates.sto"))
    published = {name.split("/")[-2] if "/" in name else name: values for name, values in table.items()}
    time = walk["markers"].signals.trial.time_s
    counted = (time >= published["time"][0]) & (time <= published["time"][-1])
    for angle, column in (("knee flexion", "knee_angle"), ("ankle dorsiflexion", "ankle_angle")):
        theirs = np.interp(time[counted], published["time"], np.degrees(published[f"{column}_{side[0]}"]))
        found = {key: agreement(one.angles[f"{side} {angle}"][counted], theirs) for key, one in walk.items()}
        for key, one in found.items():
            record_property(f"{key}: {side} {angle}", str(one))
        assert found["markers"].rms < 0.8 * found["coordinates"].rms
        assert found["markers"].r > 0.94


def test_markers_are_half_as_far_away(walk, record_property):
    apart = {key: float(np.sqrt(np.nanmean(one.positions.marker_residual**2))) for key, one in walk.items()}
    record_property("rms_mm", str({key: round(1e3 * value, 1) for key, value in apart.items()}))
    assert apart["markers"] < 0.018 < 0.030 < apart["coordinates"]


@pytest.mark.parametrize(("movement", "better"), [(PushUp("closed", cycles=1), "coordinates"), (Walk(), "markers")])
def test_soft_tissue_decides_differently_in_a_push_up_and_in_a_walk(movement, better, record_property):
    """Flesh of the trunk that sinks as one tilts a pelvis with three markers between legs with many, by 3° and more."""
    options = RecordOptions(50.0, 100.0, noise_mm=1.0, soft_tissue_mm=10.0, plate_noise_n=1.0)
    acquisition = record(movement, VirtualPerson(), options)
    truth = true_angles(acquisition)
    session = Session(acquisition.dynamic, acquisition.static, subject=acquisition.person.subject)
    start = Analysis(session).run_until("body")
    apart = {}
    for method, settings in BOTH.items():
        errors = angle_errors(start.with_settings(settings).run_until("angles").angles, truth)
        hips = [one.rms for one in errors if one.name.endswith("hip flexion")]
        apart[method] = float(np.degrees(np.sqrt(np.mean(np.square(hips)))))
    record_property("hip flexion [°]", str(apart))
    assert apart[better] < 0.8 * max(apart.values())  # one draw; of three, 0.2 in the push-up and 0.4 in the walk


# ------------------------------------------------------------------------------------- moments of the walk, stored hips
AT_6_HZ = SignalSettings(marker_filter=FilterOptions(CutoffChoice.FIXED, 6.0))
OWN_PLATES = LoadOptions(plate_forces="own")  # OpenSim does not filter its plates like its markers
OPENSIM_FOOT = 2.08  # % of the body mass: talus, calcaneus and toes of the published family of models


@pytest.fixture(scope="module")
def stored(walk) -> Analysis:
    """The walk at 6 Hz about the stored hip centres, up to its loads."""
    return at_6_hz(walk["markers"].session)


@pytest.fixture(scope="module")
def published(stored) -> PublishedWalk:
    """The published chain in the frames of the walk that it has."""
    return published_walk(stored.signals.trial.time_s[counted(stored)])


def at_6_hz(session: Session, **options: Any) -> Analysis:
    """The walk at 6 Hz with plates of their own, up to its loads."""
    body = BodySettings(options=ModelOptions(**options))
    return Analysis(session, AnalysisSettings(signals=AT_6_HZ, body=body, loads=OWN_PLATES)).run_all()


def counted(analysis: Analysis) -> slice:
    """Frames of the published stretch."""
    time = analysis.signals.trial.time_s
    found = np.flatnonzero((time >= 0.45 - 1e-9) & (time <= 1.799))
    return slice(int(found[0]), int(found[-1]) + 1)


def moments_apart(analysis: Analysis) -> dict[str, float]:
    """Joint -> RMS difference from the published flexion moment [N m], 0.45 to 1.80 s, in the axes of the joint."""
    published = storage(recording("gait_rajagopal", "reference", "id_walk.sto"))
    frames = counted(analysis)
    time = analysis.signals.trial.time_s[frames]
    curves = read_loads(analysis, LoadReading("joint", "internal", "none"))
    found = {}
    for side in SIDES:
        for joint, word, column in MOMENTS:
            theirs = np.interp(time, published["time"], published[f"{column}_{side[0]}_moment"])
            found[f"{side} {joint}"] = rms(curves[f"{side} {joint} {word} moment"][frames] - theirs)
    return found


def rms(values: FloatArray) -> float:
    return float(np.sqrt(np.mean(np.square(values))))


MOMENTS = (
    ("hip", "flexion", "hip_flexion"),
    ("knee", "flexion", "knee_angle"),
    ("ankle", "dorsiflexion", "ankle_angle"),
)


def test_moments_about_the_stored_hips_are_near_to_the_published_ones(stored, record_property):
    """8 N m were aimed at for the hips, 7 for ankles and right knee."""
    apart = moments_apart(stored)
    regressed = moments_apart(at_6_hz(stored.session, stored_centres=False))
    record_property("stored", str(apart))
    record_property("regression", str(regressed))
    limits = {"right knee": 7.0, "right ankle": 7.0, "left ankle": 7.0}
    limits |= {"right hip": 11.0, "left hip": 11.5}  # missed, for the reasons that the exchange below adds up
    limits |= {"left knee": 13.0}  # 16.5 with the markers of the thigh where the static has them
    assert {joint: round(apart[joint], 2) for joint in limits if apart[joint] > limits[joint]} == {}
    for hip in ("right hip", "left hip"):
        assert regressed[hip] > 1.1 * apart[hip]


def test_heavier_feet_of_the_published_model_are_why_hips_differ(stored, tmp_path, record_property):
    """In swing a hip has to move the foot: 0.7 kg more at the end of the leg, which is a matter of the table."""
    shipped = resource("inertia", "dumas-2007.toml").read_text("utf-8")
    head, foot = shipped.split('name = "foot"')
    mine = tmp_path / "heavy-feet.toml"
    mine.write_text(f'{head}name = "foot"{foot.replace("mass = 1.2", f"mass = {OPENSIM_FOOT}", 1)}', "utf-8")
    apart = moments_apart(at_6_hz(stored.session, inertia=InertiaOptions(str(mine))))
    record_property("heavier feet", str(apart))
    assert apart["right hip"] < 9.0
    assert apart["left hip"] < 9.0


# ------------------------------------------------------------------------------ what the difference of hips is made of
def hip_by_name(stored: Analysis, side: str) -> FloatArray:
    reading = LoadReading("joint", "internal", "none")
    return read_loads(stored, reading)[f"{side} hip flexion moment"][counted(stored)]


@pytest.mark.parametrize("side", SIDES)
def test_the_published_chain_gives_the_published_hip_moments(published, side, record_property):
    """Its masses, centres, coordinates and plates, through Biomec's inverse dynamics."""
    loads = published.loads
    ours = np.einsum("ti,ti->t", loads.torque[:, loads.index(f"hip_{side[0]}")], published.axis)
    apart = rms(ours - published.published[f"hip_flexion_{side[0]}_moment"])
    record_property("rms_Nm", apart)
    assert apart < 0.7  # of 60; scale factors are those of a later release of the model, its ankle is 4 mm off


@pytest.mark.parametrize("side", SIDES)
def test_every_part_of_the_difference_of_hips_is_accounted_for(stored, published, side, record_property):
    """From the published moment to ours, one ingredient after the other."""
    leg, theirs = published.legs[side[0]], published.published[f"hip_flexion_{side[0]}_moment"]
    ours = our_leg(stored, side[0], counted(stored), leg)
    everything = exchanged(leg, ours, EVERYTHING)
    assert (
        rms(everything - hip_by_name(stored, side)) < 0.01
    )  # curves are read by the multibody method, which differs by 0.004
    alone, path, so_far = {}, {}, ()
    for name, parts in EXCHANGED.items():
        so_far += parts
        alone[name] = rms(exchanged(leg, ours, parts) - theirs)
        path[name] = rms(exchanged(leg, ours, so_far) - theirs)
    record_property("alone_Nm", str({name: round(value, 2) for name, value in alone.items()}))
    record_property("one_after_the_other_Nm", str({name: round(value, 2) for name, value in path.items()}))
    small = ("ground force", "centre of pressure", "axis", "moments of inertia")
    assert all(alone[name] < 1.5 for name in small)  # what two mechanics would differ by, if one of them were wrong
    assert path["axis"] < 1.5
    foot = rms(exchanged(leg, ours, ("foot mass",)) - theirs)
    assert foot == pytest.approx(alone["masses"], abs=0.05)  # of the masses, that of the foot
    for name in ("motion", "centres of mass", "masses"):
        assert alone[name] > 4.5
    swing = leg.force[:, 1] < 50.0
    heavy = exchanged(leg, ours, set(EVERYTHING) - {"foot mass"}) - theirs
    assert rms(heavy[swing]) < 0.7 * rms((everything - theirs)[swing])


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("segment", SEGMENTS)
def test_ours_follows_the_recorded_markers_more_closely(stored, published, side, segment, record_property):
    """Of each motion, how far markers stray from their own mean place: no model's opinion where that is takes part.

    Published coordinates were changed by residual reduction, which moves segments away from the markers.
    """
    motion, frames, markers = stored.loads.segments, counted(stored), stored.signals.markers
    k = motion.index(f"{side} {segment}")
    R, p, *_ = published.legs[side[0]].parts[segment][0]
    names = [m for m, owner in stored.body.person.followed.items() if owner == f"{side} {segment}" and m in markers]
    seen = [markers[name][frames] for name in names]
    theirs, ours = (
        rms(np.array([np.linalg.norm(one - one.mean(axis=0), axis=1) for one in _local(R_WB, at, seen)]))
        for R_WB, at in ((R, p), (motion.R_WB[frames, k], motion.p_com[frames, k]))
    )
    record_property("published_and_ours_mm", f"{1e3 * theirs:.1f} {1e3 * ours:.1f}")
    assert ours < 0.011
    assert theirs > 1.25 * ours


@pytest.mark.parametrize("side", SIDES)
def test_the_published_ankle_lies_below_the_malleoli(stored, published, side, record_property):
    """Its shank is 465 mm long; the laboratory stored joint centres 405 mm apart."""
    static, letter = stored.session.static.markers, side[0].upper()
    knee, ankle = (np.nanmean(static[f"{letter}.{joint}Joint"], axis=0) for joint in ("Knee", "Ankle"))
    assert np.linalg.norm(knee - ankle) == pytest.approx(0.407, abs=0.005)
    centre = published.loads.centre[:, published.loads.index(f"ankle_{side[0]}")]
    height = float(centre[published.legs[side[0]].force[:, 1] > 300.0, 1].min())  # Y is up in files of OpenSim
    record_property("height_mm", f"{1e3 * height:.0f} of {1e3 * ankle[1]:.0f}")
    assert height < 0.055 < 0.110 < ankle[1]


def _local(R: FloatArray, p: FloatArray, places: list[FloatArray]) -> list[FloatArray]:
    return [np.einsum("tji,tj->ti", R, one - p) for one in places if np.isfinite(one).all()]


def test_markers_of_the_left_thigh_are_named_as_moved(stored):
    (notice,) = [notice for notice in stored.positions.notices if notice.code == "markers-moved"]
    assert notice.about == ("L.TH1", "L.TH3", "L.TH2", "L.TH4")  # the farthest first; none of the right
    assert "left hip 41 mm and left knee 32 mm" in notice.sentence
    kept = AnalysisSettings(signals=AT_6_HZ, positions=ConsistencyOptions(moved_markers=False))
    before = Analysis(stored.session, kept).run_until("positions").positions
    assert rms(stored.positions.marker_residual[np.isfinite(stored.positions.marker_residual)]) < 0.0115
    assert rms(before.marker_residual[np.isfinite(before.marker_residual)]) > 0.017


def test_the_stored_hips_are_taken_and_said_and_can_be_refused(walk):
    body = walk["markers"].body
    (notice,) = [notice for notice in body.notices if notice.code == "centres-stored"]
    assert notice.about == ("CAQ_D", "CAQ_E")
    assert "34 mm" in notice.sentence
    own = AnalysisSettings(body=BodySettings(options=ModelOptions(stored_centres=False)))
    other = walk["markers"].with_settings(own).run("body").body
    assert other.person.plan.methods["CAQ_D"] == "hip-harrington-2007"
    assert not [notice for notice in other.notices if notice.code == "centres-stored"]
    moved = np.linalg.norm(other.person.static["CAQ_D"] - body.person.static["CAQ_D"])
    assert moved == pytest.approx(0.0345, abs=0.001)


def test_the_walk_of_legs_and_trunk_is_made_dynamically_consistent(walk):
    """It was refused, because pelvis and legs hold 51 % of the mass. Measured: 6.0 mm, 0.73° in 162 frames of 1.6 s."""
    settings = AnalysisSettings()
    reduction = ReductionOptions(None, None, DynamicOptions())
    settings = replace(settings, loads=replace(settings.loads, reduction=reduction))
    with pytest.raises(BiomecError, match="Choose the model legs-trunk, whose trunk carries the mass of head and arms"):
        walk["markers"].with_settings(settings).run_until("loads")
    settings = replace(settings, body=replace(settings.body, model="legs-trunk"))
    loads = walk["markers"].with_settings(settings).run_until("loads").loads
    change = loads.reduced.dynamics
    assert change.consistent.sum() == 162
    for left in (loads.newton_euler.residual_force, loads.newton_euler.residual_torque):
        assert np.abs(left[change.consistent]).max() <= 1e-6
    assert 1e3 * change.place_rms_m < 6.5  # 10 wanted
    assert np.degrees(change.turn_rms_rad) < 0.8  # 2 wanted
    assert change.slack < 0.1
