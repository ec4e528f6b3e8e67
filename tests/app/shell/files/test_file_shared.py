"""A project that another program saved while it was open here: nothing is lost, and the user decides."""

from dataclasses import replace

import pytest

from biomec.io.project import load_project, save_project
from biomec.io.shared_project import project_hash
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import reopened
from biomec.recording import Subject
from biomec_app.session.project_file import MERGE, RELOAD, SAVE_AS, save
from tests.core.pipeline.standing import swaying_session
from tests.core.pipeline.tiny_run import tiny_run


@pytest.fixture(scope="module")
def measured():
    return Analysis(swaying_session(0.2))


class Shared:
    """A window with a project open and a run of its own, which another program has saved meanwhile."""

    def __init__(self, context, path, measured, theirs):
        self.context, self.path, self.asked, self.failed = context, path, [], []
        save_project(measured.stored(), path)
        context.document.open(measured, path, seen=project_hash(path))
        save_project(theirs.stored(), path)
        self.theirs = path.read_bytes()
        context.document.change("Simulate", measured.with_simulation(tiny_run("ours")))
        context.jobs.failed.connect(lambda title, sentence: self.failed.append(sentence))

    def save(self, qtbot, answer):
        def confirm(title, question, choices):
            self.asked.append((title, question, choices))
            return answer

        self.context.user.confirm = confirm
        save(self.context)
        qtbot.waitUntil(lambda: bool(self.asked) and not self.context.jobs.busy)

    @property
    def runs(self):
        return sorted(reopened(load_project(self.path)).analysis.simulations)


@pytest.fixture
def shared(context, tmp_path, measured):
    return Shared(context, tmp_path / "a.biomec", measured, measured.with_simulation(tiny_run("theirs")))


def test_it_is_noticed_and_nothing_is_overwritten(qtbot, shared):
    """Both programs reported success, and one result was lost."""
    shared.save(qtbot, None)
    ((title, question, choices),) = shared.asked
    assert title == "Project changed"
    assert question.startswith("Another program has saved a.biomec since it was opened here.")
    assert choices == (MERGE, SAVE_AS, RELOAD)
    assert shared.path.read_bytes() == shared.theirs
    assert shared.context.document.is_modified


def test_merge_keeps_the_runs_of_both(qtbot, shared):
    shared.save(qtbot, MERGE)
    assert shared.runs == ["ours", "theirs"]
    document = shared.context.document
    assert sorted(document.analysis.simulations) == ["ours", "theirs"]
    assert not document.is_modified
    assert document.seen == project_hash(shared.path)


def test_reload_shows_what_the_other_saved(qtbot, shared):
    shared.save(qtbot, RELOAD)
    assert list(shared.context.document.analysis.simulations) == ["theirs"]
    assert not shared.context.document.is_modified
    assert shared.path.read_bytes() == shared.theirs


def test_save_as_keeps_both_files(qtbot, shared, tmp_path):
    shared.context.user.ask_file = lambda *_: tmp_path / "b.biomec"
    shared.save(qtbot, SAVE_AS)
    assert shared.path.read_bytes() == shared.theirs
    assert list(reopened(load_project(tmp_path / "b.biomec")).analysis.simulations) == ["ours"]
    assert shared.context.document.path == tmp_path / "b.biomec"


def test_what_cannot_be_merged_is_told_and_both_stay(qtbot, context, tmp_path, measured):
    person = Subject("other", "male", 90.0, 1.8)
    theirs = replace(measured, session=replace(measured.session, subject=person))
    shared = Shared(context, tmp_path / "a.biomec", measured, theirs)
    shared.save(qtbot, MERGE)
    assert "cannot be merged" in shared.failed[0]
    assert shared.path.read_bytes() == shared.theirs
    assert list(context.document.analysis.simulations) == ["ours"]
    assert context.document.is_modified


def test_after_a_save_of_its_own_it_is_not_asked(qtbot, shared):
    shared.save(qtbot, MERGE)
    shared.asked.clear()
    shared.context.document.change("Simulate", shared.context.document.analysis.with_simulation(tiny_run("more")))
    with qtbot.waitSignal(shared.context.jobs.finished):
        save(shared.context)
    assert shared.asked == []
    assert shared.runs == ["more", "ours", "theirs"]
