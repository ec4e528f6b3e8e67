"""What if aids were others, and springs that fit a measured moment: closed forms, and a person with known cuffs."""

import json
from dataclasses import dataclass, replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.anatomy.changed_springs import SpringChange, changed_springs
from biomec.body.anatomy.model_file import load_model
from biomec.body.loads.aid_what_if import AidVariant, as_recorded, compare_aids, usual_variants
from biomec.body.loads.device_loads import cuff_loads, without_springs
from biomec.cli import main
from biomec.io.project import save_project
from biomec.io.registry import write_trial
from biomec.pipeline.aids import aids_as_recorded, calibrate_device, measured_moment, what_if_aids
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.simulation import run_simulation
from biomec.pipeline.simulation_settings import SimulationSettings
from biomec.recording import Analog
from biomec.reporting.files.aid_files import what_if_files
from biomec.virtual import AssistedWalk, assisted_walk, record
from tests.core.pipeline.test_assisted_walk import EXACT, PERSON, session_of, settings

KNEE = "right knee"
LOCK = "left knee lock"
SOFT = """
name = "soft"
title = "Softer cuffs than the model says"
base = "m18-free-orthosis"
spring = [
  { name = "left cuff at the hip", type = "cuff", between = ["left thigh", "left orthosis thigh"], point = "OHP_E", stiffness_n_per_m = 6e3, damping_ns_per_m = 60.0 },
  { name = "left cuff at the knee", type = "cuff", between = ["left shank", "left orthosis shank"], point = "KJC_E", stiffness_n_per_m = 6e3, damping_ns_per_m = 60.0 },
]
"""  # noqa: E501


@pytest.fixture(scope="module")
def analysed() -> Analysis:
    """One stride with two crutches and two orthoses that move with the legs."""
    return Analysis(session_of(record(assisted_walk(1), PERSON, EXACT)), settings("m18-orthoses")).run_until("loads")


@dataclass(frozen=True)
class SoftCuffs(AssistedWalk):
    """One orthosis as a body of its own, in the cuffs of a model file."""

    file: str = ""

    @property
    def model(self) -> str:
        return self.file


@pytest.fixture(scope="module")
def soft(tmp_path_factory) -> tuple[Analysis, np.ndarray]:
    """A person whose cuffs are softer than the model that analyses them; moment of the lock with 0.2 N m of noise."""
    path = tmp_path_factory.mktemp("soft") / "soft.toml"
    path.write_text(SOFT, "utf-8")
    acquisition = record(SoftCuffs(strides=1, orthoses="one free", file=str(path)), PERSON, EXACT)
    truth, model = acquisition.truth, acquisition.model
    lock = next(one for one in model.elements if one.name == LOCK)
    moment = lock.state(model.system, truth.q, truth.qdot).force
    noise = np.random.default_rng(7).normal(scale=0.2, size=len(moment))
    session = session_of(acquisition)
    analog = session.dynamic.analog
    values = np.column_stack([analog.values, moment + noise])
    with_cell = Analog((*analog.names, "Load cell"), values, (*analog.units, "N·m"), analog.rate_hz)
    session = replace(session, dynamic=replace(session.dynamic, analog=with_cell))
    return Analysis(session, settings("m18-free-orthosis")).run_until("motion"), moment


def test_known_cuffs_are_identified_back(soft):
    """S24: stiffness within 5 %; the model had 10 000 N/m, the person 6000. The noise of 0.2 N m is left."""
    analysis, _ = soft
    found = calibrate_device(analysis, LOCK, measured_moment(analysis, "Load cell"))
    cuffs, free = found.fitted
    assert cuffs.after == pytest.approx(6000.0, rel=0.05)
    assert free.after == pytest.approx(free.before, abs=0.1)  # [deg]: the lock's angle was right
    before, after = found.rmse
    assert before > 5.0 * after
    assert after == pytest.approx(0.2, rel=0.2)  # 100 samples of noise tell its size to 7 %
    assert "not a prediction" in found.sentence
    assert abs(cuffs.after - 6000.0) < 4.0 * cuffs.error  # the standard error is what it says


def test_a_lock_and_cuffs_in_series_are_told_to_look_alike(soft):
    analysis, moment = soft
    few = np.full_like(moment, np.nan)
    few[40:60] = moment[40:60]
    found = calibrate_device(analysis, LOCK, few, ("cuffs", "lock", "lock damping", "cuff damping"))
    (said,) = [notice.sentence for notice in found.notices if notice.code == "calibration-undetermined"]
    assert "does not determine" in said


def test_a_moment_that_does_not_fit_is_refused(soft, analysed):
    analysis, moment = soft
    with pytest.raises(BiomecError, match="has no channel Strain; it has right crutch Fx"):
        measured_moment(analysis, "Strain")
    with pytest.raises(BiomecError, match="is in N, which is not a unit of moment"):
        measured_moment(analysis, "right crutch Fx")
    with pytest.raises(BiomecError, match="no hinge spring right lock in the model; there are left knee lock"):
        calibrate_device(analysis, "right lock", moment)
    with pytest.raises(BiomecError, match="known together in only 0 consecutive frames"):
        calibrate_device(analysis, LOCK, np.full_like(moment, np.nan))
    with pytest.raises(BiomecError, match="No cuff holds the left knee lock"):
        calibrate_device(analysed, LOCK, np.zeros(len(analysed.motion.q)))
    with pytest.raises(BiomecError, match="Fit some of cuffs"):
        calibrate_device(analysis, LOCK, moment, ("mass",))


def test_a_lock_that_moves_with_the_leg_is_fitted_by_its_angle(analysed):
    """Its torque is k (θ − θ₀) + c θ̇ of a known angle: half the lock comes back to rounding."""
    person = analysed.body.person
    half = changed_springs(person, {LOCK: SpringChange(0.5, 1.0, 0.02)})
    element = next(one for one in half.elements if one.name == LOCK)
    moment = element.state(person.system, analysed.motion.q, analysed.motion.qdot).force
    found = calibrate_device(analysed, LOCK, moment, ("lock", "free angle"))
    assert found.fitted[0].after == pytest.approx(500.0, rel=1e-6)
    assert found.fitted[1].after - found.fitted[1].before == pytest.approx(np.degrees(0.02), rel=1e-6)


def test_what_a_lock_gives_less_the_person_gives_more(analysed):
    names = (f"{KNEE} lock",)
    variants = (
        as_recorded(),
        AidVariant("none", {name: SpringChange(0.0, 0.0) for name in names}),
        AidVariant("half", {name: SpringChange(0.5, 0.5) for name in names}),
    )
    results = what_if_aids(analysed, variants).results
    shares = [next(one for one in result.devices.shares if one.joint == KNEE) for result in results]
    assert np.nanmax(np.abs(shares[0].device)) > 10.0
    np.testing.assert_allclose(shares[2].device, 0.5 * shares[0].device, rtol=0, atol=1e-9)
    for share in shares[1:]:
        np.testing.assert_allclose(share.total, shares[0].total, rtol=0, atol=1e-9)  # the movement stays
    loads = analysed.loads.newton_euler
    k = loads.index(KNEE)
    whole = np.linalg.norm(loads.torque[:, k], axis=1)
    np.testing.assert_allclose(results[1].person_torque[:, k], whole, rtol=0, atol=1e-9)
    assert results[1].burden("right shoulder") == results[0].burden("right shoulder")
    assert "do not change shoulder loads while the movement is the same" in results[1].notices[0].sentence


def test_muscles_do_not_make_what_an_orthosis_gives(analysed):
    """Their torques are those of the person: all of inverse dynamics but the spring's."""
    loads, motion, person = analysed.loads.newton_euler, analysed.motion, analysed.body.person
    own, k = without_springs(person, loads, motion.q, motion.qdot), loads.index(KNEE)
    share = next(one for one in analysed.loads.devices.shares if one.joint == KNEE)
    axis = person.system.layout.vector("right thigh.z")(motion.q)
    # the person's share is about the axis; the rest of the torque stays, but for a knee bent aside, of 0.01 rad
    np.testing.assert_allclose(np.einsum("ti,ti->t", own.torque[:, k], axis), share.person, rtol=0, atol=0.05)
    np.testing.assert_array_equal(own.torque[:, loads.index("right hip")], loads.torque[:, loads.index("right hip")])


def test_muscles_follow_a_movement_that_locks_help(analysed):
    """Lock and muscles together give the knee's torque, of which the lock's is that of the recorded angle."""
    muscles = replace(analysed.settings.muscles, set="legs")
    run = run_simulation(
        analysed.with_settings(replace(analysed.settings, muscles=muscles)),
        SimulationSettings(input="muscles", frames=(20, 25)),
    )
    assert run.completed
    assert np.degrees(max(run.angle_rms.values())) < 0.1  # with the lock's 30 N m twice or not at all, the knee leaves
    assert max(value for name, value in run.torque_rms.items() if "knee" in name) < 2.0  # N m; muscles follow late
    column = dict(zip(run.device_names, run.devices.T, strict=True))
    for side in ("right", "left"):
        device = column[f"{side} knee flexion torque, device (N·m)"]
        recorded = next(share for share in analysed.loads.devices.shares if share.joint == f"{side} knee").device[20:26]
        assert np.abs(recorded).min() > 7.0  # not a test of nothing
        # 1000 N m/rad, and 0.005 degrees between simulated and recorded angle
        np.testing.assert_allclose(device, recorded, rtol=0, atol=0.1)
        person, total = (column[f"{side} knee flexion torque, {name} (N·m)"] for name in ("person", "total"))
        np.testing.assert_allclose(person + device, total, rtol=0, atol=1e-9)


def test_longer_crutches_turn_the_wrist_by_force_times_length(analysed):
    length, given = 0.08, aids_as_recorded(analysed)
    before, after = what_if_aids(
        analysed, (as_recorded(), AidVariant("long", longer_m={"right crutch": length}))
    ).results
    layout, q = given.person.system.layout, given.q
    grip, tip = (layout.point(f"right hand.{name}")(q) for name in ("PMCH_D", "TIP_D"))
    along = (tip - grip) / np.linalg.norm(tip - grip, axis=1)[:, None]
    k = given.external.segments.index("right hand")
    more = -np.cross(length * along, given.external.force[:, k])  # what the wrist has to balance
    w = before.loads.index("right wrist")
    np.testing.assert_allclose(after.loads.torque[:, w] - before.loads.torque[:, w], more, rtol=0, atol=1e-9)
    assert np.nanmax(np.linalg.norm(more, axis=1)) > 1.0
    assert after.burden("left wrist") == before.burden("left wrist")


def test_feet_take_over_what_arms_give_less(analysed):
    """Force and moment of the floor stay in sum, so that what holds the root stays; arms bear a share less."""
    before, after = what_if_aids(analysed, (as_recorded(), AidVariant("weak", arms=0.6))).results
    np.testing.assert_allclose(after.loads.residual_force, before.loads.residual_force, rtol=0, atol=1e-8)
    np.testing.assert_allclose(after.loads.residual_torque, before.loads.residual_torque, rtol=0, atol=1e-8)
    assert after.burden("right shoulder").torque_Nm < 0.8 * before.burden("right shoulder").torque_Nm
    assert after.burden(KNEE).force_N > before.burden(KNEE).force_N
    assert "the feet take it over" in after.notices[0].sentence


def test_a_free_orthosis_stands_elsewhere_in_a_softer_lock(soft):
    """Between a rigid and no lock: the hip's cuff loses force with the lock."""
    analysis = soft[0].run_until("loads")
    variants = [AidVariant(f"{factor}", {LOCK: SpringChange(factor)}) for factor in (0.25, 4.0)]
    results = what_if_aids(analysis, (as_recorded(), *variants)).results
    share = [next(one for one in result.devices.shares if one.joint == "left knee") for result in results]
    torques = [float(np.nanmax(np.abs(one.device))) for one in share]
    assert torques[1] < torques[0] < torques[2]
    assert torques[1] > 0.25 * torques[0]  # it turns further in a softer lock
    none = {one.name: SpringChange(1e-9, 1e-9) for one in analysis.body.person.springs}
    with pytest.raises(BiomecError, match="slack: Nothing holds left orthosis ankle"):
        what_if_aids(analysis, (AidVariant("slack", none),))


def test_a_device_without_cuffs_is_not_said_to_take_its_place_anew(soft):
    """Its lock is left, so that it said so though the recorded motion was kept."""
    given = aids_as_recorded(soft[0].run_until("loads"))
    cuffs = {one.name: SpringChange(0.0, 0.0) for one in given.person.springs if one.first}
    (found,) = compare_aids(given, (AidVariant("no cuffs", cuffs),)).results
    said = found.notices[0].sentence
    assert "new position" not in said
    assert "No cuff holds left orthosis ankle, left orthosis knee: the recorded angles are kept there." in said


@pytest.mark.parametrize(("rate_hz", "n_per_m"), [(100.0, "1e4"), (50.0, "3e3")])
def test_a_free_orthosis_is_held_at_usual_frame_rates_and_in_soft_cuffs(rate_hz, n_per_m, tmp_path):
    """Both were refused as held by nothing: cuffs K < 4 M rate² had no stable motion by central differences."""
    file = tmp_path / "cuffs.toml"
    damping = str(0.01 * float(n_per_m))
    file.write_text(SOFT.replace("6e3", n_per_m).replace("60.0", damping), "utf-8")
    walk = SoftCuffs(strides=1, orthoses="one free", file=str(file))
    one = record(walk, PERSON, replace(EXACT, rate_hz=rate_hz, plate_rate_hz=rate_hz))
    analysis = Analysis(session_of(one), settings(walk.model)).run_until("motion")
    codes = {notice.code for notice in analysis.motion.notices}
    assert codes & {"device-held", "device-not-held", "device-not-settled"} == {"device-held"}
    _, found = cuff_loads(analysis.body.person, analysis.motion.q, analysis.motion.qdot)
    _, known = cuff_loads(one.model, one.truth.q, one.truth.qdot)
    for mine, true in zip(found, known, strict=True):
        assert np.linalg.norm(true.force, axis=1).max() > 60.0  # [N]: not a test of nothing
        # series of the stride to 12 Hz leave 0.6 N m at the hinges; differences between frames the rest
        np.testing.assert_allclose(mine.force[2:-2], true.force[2:-2], rtol=0, atol=1.5)


def test_questions_without_an_answer_are_refused(analysed):
    with pytest.raises(BiomecError, match="The model has no spring knee; it has right knee lock"):
        what_if_aids(analysed, (AidVariant("x", {"knee": SpringChange(0.5)}),))
    with pytest.raises(BiomecError, match=r"there is no crutch stick.* crutches: right crutch, left crutch"):
        what_if_aids(analysed, (AidVariant("x", longer_m={"stick": 0.1}),))
    with pytest.raises(BiomecError, match="two variants are called x"):
        what_if_aids(analysed, (AidVariant("x"), AidVariant("x")))
    with pytest.raises(BiomecError, match="cannot be 2 m longer"):
        AidVariant("x", longer_m={"right crutch": 2.0})
    with pytest.raises(BiomecError, match="drives the movement is not possible"):
        SpringChange(-1.0)
    silent, longer = replace(aids_as_recorded(analysed), tips=()), AidVariant("x", longer_m={"right crutch": 0.1})
    for asked, words in ((AidVariant("x", arms=0.5), "no force of"), (longer, "was not measured")):
        with pytest.raises(BiomecError, match=words):
            compare_aids(silent, (asked,))
    with pytest.raises(BiomecError, match="What If for Aids needs the joint loads"):
        what_if_aids(Analysis(analysed.session, analysed.settings))


def test_usual_questions_fit_the_aids():
    tips = ("right hand", "left hand")
    titles = {name: [one.title for one in usual_variants(load_model(name), tips)] for name in ("m18", "m18-crutches")}
    assert titles["m18"] == ["As recorded"]
    assert titles["m18-crutches"] == ["As recorded", "Crutches 5 cm longer", "Arms give 20 % less"]


def test_crutches_without_a_measured_force_are_not_asked_about():
    """A person with crutches that have no force channels was asked how longer ones load the arms."""
    model = load_model("m18-crutches")
    assert [one.title for one in usual_variants(model, ())] == ["As recorded"]
    alone = usual_variants(model, ("right hand",))
    assert [one.title for one in alone] == ["As recorded", "Right crutch 5 cm longer", "Arms give 20 % less"]
    assert set(alone[1].longer_m) == {"right crutch"}


def test_a_variant_without_an_answer_leaves_the_others(analysed, tmp_path, capsys):
    """One that could not be computed took all others with it, also on the command line."""
    soft, wrong = AidVariant("Soft", {LOCK: SpringChange(0.5)}), AidVariant("Wrong", longer_m={"stick": 0.1})
    found = what_if_aids(analysed, (as_recorded(), wrong, soft))
    assert [one.variant.title for one in found.results] == ["As recorded", "Soft"]
    assert [one.variant.title for one in found.unanswered] == ["Wrong"]
    assert "there is no crutch stick" in found.unanswered[0].sentence
    told = json.loads(what_if_files(analysed, found)["aids_what_if.json"])
    assert told["unanswered"] == [{"title": "Wrong", "reason": found.unanswered[0].sentence}]
    project = tmp_path / "walk.biomec"
    save_project(analysed.stored(), project)
    assert main(["aids", "what-if", str(project), "--variant", "Wrong: longer:stick=0.1", "--joints", "knee"]) == 1
    said = capsys.readouterr().out
    assert "Wrong: not computed. What if: there is no crutch stick" in said
    assert "As recorded" in said


def test_the_command_answers_and_calibrates(soft, tmp_path, capsys):
    project = tmp_path / "walk.biomec"
    save_project(soft[0].stored(), project)
    out = tmp_path / "out"
    asked = ["--variant", f"Soft: spring:{LOCK}=0.5, arms=0.9", "--joints", "shoulder", "knee", "--out", str(out)]
    assert main(["aids", "what-if", str(project), *asked]) == 0
    said = capsys.readouterr().out
    assert "left knee: largest torque of the person" in said
    assert "Soft: " in said
    assert set(json.loads((out / "aids_what_if.json").read_text())["joints"]["left knee"]) == {"As recorded", "Soft"}
    cell = tmp_path / "cell.csv"
    write_trial(replace(soft[0].session.dynamic, plates=(), emg=None), cell)
    fit = ["aids", "calibrate", str(project), "--spring", LOCK, "--channel", "Load cell", "--moments", str(cell)]
    assert main([*fit, "--fit", "cuffs", "--out", str(out)]) == 0
    assert "This is a fit to these data, not a prediction" in capsys.readouterr().out
    model = tmp_path / "mine.toml"
    head = 'name = "mine"\ntitle = "Calibrated"\nbase = "m18-free-orthosis"\n'
    model.write_text(head + (out / "springs.toml").read_text(), "utf-8")
    (hip,) = [one for one in load_model(str(model)).springs if one.name == "left cuff at the hip"]
    assert hip.stiffness == pytest.approx(6000.0, rel=0.05)
    for wrong in ("Soft", "Soft: knee=2", "Soft: arms=many", ": arms=0.5"):
        with pytest.raises(SystemExit):
            main(["aids", "what-if", str(project), "--variant", wrong])
