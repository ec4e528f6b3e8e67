"""The File menu writes recordings, results, angles and figures, and reads what MATLAB was given."""

import resource
import signal
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from biomec.base.errors import FileError
from biomec.io.mat import write_mat
from biomec.io.project import load_project
from biomec.io.registry import FORMATS, read_trial
from biomec_app.dialogs.importing import ImportDialog
from biomec_app.session.project_file import DISCARD
from biomec_app.shell import files
from tests.app.shell.files.menus import idle, run


@pytest.mark.parametrize("kind", [one.extensions[0][1:] for one in FORMATS if one.export])
def test_recordings_are_exported(qtbot, with_recording, short_analysis, tmp_path, kind):
    with_recording.path = tmp_path / "out"
    with_recording.answer = files.MEASURED
    run(qtbot, with_recording, f"file.export-{kind}")
    back = read_trial(tmp_path / f"out.{kind}", examine=False)
    source = short_analysis.session.dynamic
    if kind == "mot":
        assert {plate.name for plate in back.plates} == {plate.name for plate in source.plates}
    else:
        assert back.frames == source.frames
        known = np.isfinite(source.markers.p_WM)
        there = back.markers.select(source.markers.names).p_WM
        np.testing.assert_allclose(there[known], source.markers.p_WM[known], atol=1e-6)  # C3D: single precision
    with_recording.answer = None
    with_recording.path = tmp_path / "other"
    run(qtbot, with_recording, f"file.export-{kind}")
    assert not (tmp_path / f"other.{kind}").exists()


def test_a_matlab_file_of_a_recording_alone_is_imported(qtbot, with_recording, short_analysis, tmp_path):
    with_recording.path = tmp_path / "out.mat"
    write_mat(short_analysis.session.dynamic, with_recording.path)
    run(qtbot, with_recording, "file.open")

    (dialog,) = with_recording.findChildren(ImportDialog)
    assert dialog.title.text() == "out.mat"
    assert "4 force plates" in dialog.summary.text()
    dialog.reject()


def test_results_go_to_a_folder_and_are_not_overwritten_unasked(qtbot, with_recording, tmp_path):
    with_recording.path = tmp_path / "results"
    run(qtbot, with_recording, "file.export-results")
    assert (with_recording.path / "angles.csv").exists()
    stamp = (with_recording.path / "angles.csv").stat().st_mtime_ns
    with_recording.answer = None
    run(qtbot, with_recording, "file.export-results")
    assert (with_recording.path / "angles.csv").stat().st_mtime_ns == stamp
    with_recording.answer = "Overwrite"
    run(qtbot, with_recording, "file.export-results")
    assert (with_recording.path / "angles.csv").stat().st_mtime_ns > stamp


def test_joint_angles_are_exported_and_the_suffix_asks_before_it_overwrites(qtbot, with_recording, tmp_path):
    with_recording.path = tmp_path / "angles"
    run(qtbot, with_recording, "file.export-sto")
    assert (tmp_path / "angles.sto").read_text().count("\n") > 380
    with_recording.answer = None
    (tmp_path / "angles.sto").write_text("kept")
    run(qtbot, with_recording, "file.export-sto")
    assert (tmp_path / "angles.sto").read_text() == "kept"


class Figure:
    """A figure that notes what is asked of it."""

    window_s = (1.0, 2.0)

    def __init__(self):
        self.done = []

    def copy(self, kind):
        self.done.append(kind)

    def save(self, path):
        if path.suffix == ".pdf":
            raise FileError(path.name, "no.")
        self.done.append(path.name)


def test_figures_are_copied_and_saved_by_the_view_that_has_one(qtbot, with_recording, tmp_path):
    figure = with_recording.context.figure = Figure()
    with_recording.menus.refresh()
    for kind in ("png", "svg", "data"):
        run(qtbot, with_recording, f"file.copy-{kind}")
    with_recording.path = tmp_path / "fig"
    for kind in ("png", "svg", "csv"):
        run(qtbot, with_recording, f"file.save-{kind}")
    assert figure.done == ["png", "svg", "data", "fig.png", "fig.svg", "fig.csv"]
    run(qtbot, with_recording, "file.save-pdf")
    assert with_recording.heard == ["fig.pdf: no."]


def test_the_visible_window_can_be_saved(qtbot, with_recording):
    from biomec_app.dialogs.stretch import StretchDialog

    with_recording.context.figure = Figure()
    dialog = StretchDialog(with_recording.context)
    qtbot.addWidget(dialog)
    dialog.by_window.setChecked(True)
    rate = with_recording.context.document.rate_hz
    assert dialog.stretch() == (round(rate), round(2 * rate))
    dialog.first.setValue(50)
    dialog.last.setValue(20)
    assert "must not come after" in dialog.wrong.text()


def test_an_analysis_goes_to_matlab_and_comes_back(qtbot, with_recording, short_analysis, tmp_path):
    with_recording.path, with_recording.answer = tmp_path / "whole.mat", files.CLEAN
    with_recording.menus.run("file.export-mat")
    idle(qtbot, with_recording)
    (written, remarks) = with_recording.written.pop()
    assert written == (tmp_path / "whole.mat",)
    assert "PushUpClosed1.emt" in remarks[0]  # what the file cannot hold
    with_recording.answer = DISCARD
    letter = tmp_path / "letter.docx"
    letter.write_bytes(b"PK\x03\x04")
    files.open_file(with_recording.context, letter, tmp_path / "whole.mat")
    idle(qtbot, with_recording)
    again = with_recording.context.document.analysis
    assert again is not short_analysis
    assert tuple(again.done) == tuple(short_analysis.done)
    assert_array_equal(again.angles.values, short_analysis.angles.values)
    assert_array_equal(again.motion.qddot, short_analysis.motion.qddot)
    assert not with_recording.context.document.is_modified
    (sentence,) = with_recording.heard
    assert sentence.startswith("Left out: letter.docx: this is not a recording that Biomec knows.")


def test_exported_files_are_listed_with_what_cannot_be_held(qtbot, with_recording, tmp_path):
    with_recording.path = tmp_path / "results"
    with_recording.menus.run("file.export-results")
    idle(qtbot, with_recording)
    ((written, remarks),) = with_recording.written
    assert {file.name for file in written} == {file.name for file in (tmp_path / "results").iterdir()}
    assert remarks == ()
    with_recording.path, with_recording.answer = tmp_path / "whole.csv", files.CLEAN
    with_recording.menus.run("file.export-csv")
    idle(qtbot, with_recording)
    assert {file.name for file in with_recording.written[-1][0]} == {one.name for one in tmp_path.glob("whole*")}


def test_a_disk_that_is_full_while_saving_gives_a_sentence_and_loses_nothing(
    qtbot, with_recording, short_analysis, tmp_path
):
    """The system itself refuses to write more than 100 kB, in the middle of the file."""
    with_recording.path = tmp_path / "kept.biomec"
    run(qtbot, with_recording, "file.save")
    before = with_recording.path.read_bytes()
    subject = replace(short_analysis.session.subject, name="Changed")
    changed = replace(short_analysis, session=replace(short_analysis.session, subject=subject))
    with_recording.context.document.change("Change Subject", changed)
    with_recording.context.jobs.failed.connect(lambda title, sentence: with_recording.heard.append(sentence))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handled = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        run(qtbot, with_recording, "file.save")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handled)
    assert with_recording.heard[-1].startswith("kept.biomec: ")
    assert "error in Biomec" not in with_recording.heard[-1]
    assert with_recording.path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir() if one.suffix not in (".ini", ".biomec")] == []  # nothing half-made
    assert with_recording.context.document.is_modified
    run(qtbot, with_recording, "file.save")  # there is room again
    assert load_project(with_recording.path).subject.name == "Changed"
    assert not with_recording.context.document.is_modified
