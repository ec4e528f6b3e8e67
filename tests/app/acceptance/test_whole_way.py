"""From files to numbers through the window: the same as from the command line, bit for bit."""

import numpy as np
import pytest

from biomec.cli import main
from biomec.io.project import load_project
from biomec.pipeline.analysis import KINEMATICS, STEPS, step_named
from biomec_app.curves.catalogue import catalogue
from biomec_app.session.project_file import DISCARD, SAVE

KINEMATIC_STEPS = STEPS[: STEPS.index(step_named(KINEMATICS)) + 1]
CLOCKS = ("seconds", "time", "cpu")  # how long something took is not a number of the analysis


@pytest.fixture(scope="session")
def by_command_line(squat_files, tmp_path_factory):
    """Results of the squat that the command line wrote."""
    out = tmp_path_factory.mktemp("command line")
    assert main(["analyze", str(squat_files["emt"]), "--out", str(out)]) == 0
    return load_project(out / "session.biomec").results


def arrays(results):
    """Every array of every step of kinematics, without computing times."""
    return {
        (step, name): values
        for step, result in results.items()
        for name, values in result.arrays.items()
        if step in [one.name for one in KINEMATIC_STEPS] and not any(word in name for word in CLOCKS)
    }


def assert_same(ours, theirs):
    ours, theirs = arrays(ours), arrays(theirs)
    assert ours.keys() == theirs.keys()
    for key, values in theirs.items():
        assert values.dtype == ours[key].dtype, key
        numbers = np.issubdtype(values.dtype, np.floating)
        assert np.array_equal(ours[key], values, equal_nan=numbers), key


def test_import_analyse_plot_save_and_reopen_give_the_numbers_of_the_command_line(
    person, squat_files, by_command_line, tmp_path
):
    wanted = {("positions", "q"), ("motion", "qdot"), ("motion", "qddot"), ("angles", "values")}
    assert wanted <= arrays(by_command_line).keys()
    person.import_(squat_files["emt"])
    assert person.document.analysis.session.dynamic.plates  # from the MOT beside it
    assert not person.document.analysis.done

    person.choose("kinematics.all")
    analysis = person.document.analysis
    assert all(analysis.is_current(step.name) for step in KINEMATIC_STEPS)
    assert_same(analysis.stored().results, by_command_line)

    curves = [curve.key for curve in catalogue(analysis) if curve.key.startswith("angle")][:6]
    assert curves
    person.document.select(curves=tuple(curves))
    person.rest()
    drawn = person.window.plots.grab().toImage()
    assert not drawn.isNull()

    person.path = tmp_path / "study.biomec"
    person.choose("file.save")
    assert not person.document.is_modified
    person.choose("file.close")
    assert not person.document.is_open
    person.choose("file.open")
    assert person.document.analysis is not analysis
    assert_same(person.document.analysis.stored().results, by_command_line)
    assert_same(load_project(person.path).results, by_command_line)
    assert not person.heard


def test_analysing_at_once_gives_the_same(person, squat_files, by_command_line):
    person.import_(squat_files["emt"], analyse=True)
    assert_same(person.document.analysis.stored().results, by_command_line)


@pytest.mark.parametrize("after", [0.0, 0.3, 0.7])
def test_cancelling_an_analysis_leaves_the_document_as_it_was(person, squat_measured, after):
    person.document.open(squat_measured)
    before, history = person.document.analysis, person.document.history
    stopped, changed = [], []
    jobs = person.context.jobs
    jobs.cancelled.connect(stopped.append)
    person.document.analysis_changed.connect(lambda: changed.append(1))
    person.window.menus.items["kinematics.all"][1].trigger()
    person.wait(lambda: not jobs.busy or person.window.bar.value() >= 100 * after)
    assert jobs.busy, "it was done before it could be cancelled"
    assert person.window.stop.isVisible()
    person.window.stop.click()
    person.idle()
    assert stopped == ["Kinematic Analysis"]
    assert person.document.analysis is before
    assert person.document.history == history
    assert person.document.undo_stack.count() == 0
    assert not changed
    assert not person.window.stop.isVisible()
    assert "nothing was changed" in person.window.statusBar().currentMessage()


@pytest.mark.parametrize("answer", [SAVE, DISCARD, None])
def test_opening_another_recording_asks_about_unsaved_work(person, squat_measured, squat_files, tmp_path, answer):
    person.document.open(squat_measured)
    kept, person.answer = tmp_path / "kept.biomec", answer
    paths = [squat_files["c3d"], kept]
    person.context.user.ask_file = lambda *asked: paths.pop(0)
    person.choose("file.import")
    assert not person.asked  # looking at another recording loses nothing
    person.dialog().import_button.click()
    person.idle()
    assert len(person.asked) == 1
    assert kept.exists() == (answer == SAVE)
    assert (person.document.analysis is squat_measured) == (answer is None)
    for one in person.others:
        one.reject()


def test_a_recording_without_force_plates_is_analysed_at_once_as_far_as_it_goes(person, squat_files, tmp_path):
    alone = tmp_path / squat_files["emt"].name
    alone.write_bytes(squat_files["emt"].read_bytes())
    static = next(squat_files["emt"].parent.glob("*Static*.emt"))
    (tmp_path / static.name).write_bytes(static.read_bytes())
    person.import_(alone, analyse=True)
    assert not person.document.analysis.session.dynamic.plates
    assert person.document.analysis.is_current(KINEMATICS)
    assert not person.heard
