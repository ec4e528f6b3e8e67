"""The window of a study as a researcher uses it: look, filter, run, take out, compare, open, report."""

import csv
import shutil
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from biomec._version import __version__
from biomec.base.errors import BiomecError
from biomec.study import batch
from biomec.study import task as task_module
from biomec.study.decisions import decide, read_decisions
from biomec.study.index import Index
from biomec.study.record import Headline, TrialRecord
from biomec.study.study import Study, open_study
from biomec.study.task import run_task
from biomec.study.trials import State, StudyTrial
from biomec_app.features.study import batch_run, columns, outputs
from biomec_app.features.study.actions import back_to_study, is_study
from biomec_app.features.study.columns import COLUMNS
from biomec_app.features.study.thumbnails import Thumbnails
from biomec_app.features.study.trial_model import GroupRow
from biomec_app.features.study.window import RUNNING, StudyWindow, open_study_window
from biomec_app.shell.files import open_file
from tests.app.conftest import let_run
from tests.core.study.known import CURVE, analysed_known, know, offset, write_known
from tests.core.study.small import reopened
from tests.faults.disks import full
from tests.faults.layer import Files

PEOPLE = 3


class Answers:
    """Somebody who answers every question with what was laid ready, and remembers what was told."""

    def __init__(self, context):
        self.text, self.path, self.choice = None, None, None
        self.asked, self.told = [], []
        user = context.user
        user.ask_text = lambda title, question, start: self._ask(title) or self.text
        user.ask_file = lambda *asked: self.path
        user.ask_folder = lambda *asked: self.path
        user.confirm = lambda title, question, choices: self._ask(question) or self.choice
        user.fail = user.tell = lambda title, sentence: self.told.append(sentence)
        user.show_written = lambda title, files, remarks: self.told.append((title, files, remarks))

    def _ask(self, question):
        self.asked.append(question)


class Crew:
    """Works in this process, a task when it is waited for; ``idle`` : never."""

    size = 1

    def __init__(self, idle=False):
        self.idle = idle

    def submit(self, task):
        future = Future()
        if not self.idle:
            future.set_result(run_task(task))
        return future

    def renew(self, tired=False): ...

    def ask_again(self): ...

    def withdrawn(self):
        return False

    def close(self, now=False): ...


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """Three people, two conditions, all analysed; nothing in it is ever changed."""
    return analysed_known(write_known(tmp_path_factory.mktemp("ready"), PEOPLE, visits=1, first="Alberta")).folder


@pytest.fixture
def fresh(tmp_path):
    """Two people, of whom nothing is analysed yet."""
    return write_known(tmp_path / "fresh", 2, visits=1, first="Alberta")


@pytest.fixture
def answers(context):
    return Answers(context)


@pytest.fixture
def shown(context, answers, qtbot):
    """Function that shows a study and waits until it is there."""
    opened = []

    def show(folder) -> StudyWindow:
        window = StudyWindow(context, folder)
        opened.append(window)
        window.show()
        qtbot.waitUntil(lambda: window.study is not None and not window.work.busy)
        return window

    yield show
    for window in opened:
        if not window.closed:
            window.shut()
    let_run()


def cells(window, key):
    """Texts of a column, without those of groups."""
    place = next(k for k, one in enumerate(COLUMNS) if one.key == key)
    model = window.page.model
    return [model.index(row, place).data() for row in range(model.rowCount()) if model.trial_at(row) is not None]


def every_text(window):
    """What the window tells anywhere: cells that can be shown, details, words."""
    model, table = window.page.model, window.page.table
    seen = [
        str(model.index(row, k).data())
        for row in range(model.rowCount()) for k in range(len(COLUMNS)) if not table.isColumnHidden(k)
    ]  # fmt: skip
    details = window.page.details
    return "\n".join(
        [*seen, details.title.text(), details.words.text(), window.words.text(), str(window.folder.blocks)]
    )


def settled(window, qtbot):
    qtbot.waitUntil(lambda: not (window.work.busy or window.batch.jobs.busy or window._again))
    let_run()


def test_trials_are_filtered_grouped_and_sorted(shown, ready):
    window = shown(ready)
    page = window.page
    assert window.words.text().startswith(f"{ready.name}: 3 people, 6 trials (6 done)")
    assert cells(window, "person") == ["S0", "S0", "S1", "S1", "S2", "S2"]
    page.words.setText("s1 open")
    page._filter()
    assert (cells(window, "person"), cells(window, "condition")) == (["S1"], ["open"])
    assert page.counted.text() == "1 of 6 trials"
    page.words.clear()
    page._filter()
    page.model.set_grouping("condition")
    heads = [one.text for one in page.model.rows if isinstance(one, GroupRow)]
    assert heads == ["▾  closed: 3 trials, 3 done", "▾  open: 3 trials, 3 done"]
    page.table.setCurrentIndex(page.model.index(0, 0))
    QTest.keyClick(page.table, Qt.Key.Key_Space)
    assert cells(window, "condition") == ["open"] * 3
    assert page.model.shown == 6
    page.model.set_grouping("")
    place = next(k for k, one in enumerate(COLUMNS) if one.key == "person")
    page.table.sortByColumn(place, Qt.SortOrder.DescendingOrder)
    assert cells(window, "person") == ["S2", "S2", "S1", "S1", "S0", "S0"]
    page.words.setText("nobody at all")
    page._filter()
    assert page.table.empty.isVisibleTo(page.table.viewport())
    assert page.table.empty.text() == "No trial fits the filter."


def test_a_table_edited_by_hand_costs_its_picture_only(ready, tmp_path):
    """A line cut short in one angles.csv ended the pictures of all trials in an IndexError."""
    shutil.copytree(ready, tmp_path / "study")
    study = open_study(tmp_path / "study")
    path = study.folder_of(study.trials[0]) / "angles.csv"
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines[:5], "both,1", *lines[6:]]) + "\n", encoding="utf-8")
    drawn = Thumbnails(f"{CURVE} [deg]").with_trials(study, study.trials[:2])
    assert [len(drawn.cycles[one.id]) for one in study.trials[:2]] == [0, 3]


def test_names_are_told_on_request_only(shown, ready, context):
    window = shown(ready)
    window.page.table.selectRow(0)
    assert "Alberta" not in every_text(window)
    assert ".trc" not in every_text(window)
    window.page.names.setChecked(True)
    assert "Alberta0/v1/closed1.trc" in every_text(window)
    window.close()
    again = shown(ready)  # columns are remembered, that names were shown is not
    assert "Alberta" not in every_text(again)


def test_a_trial_is_taken_out_with_a_reason_and_that_is_undone(shown, fresh, answers, qtbot):
    window = shown(fresh)
    table = window.page.table
    table.selectRow(1)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert answers.asked == ["Exclude S0, visit 1, open 1"]
    assert window.undo_stack.count() == 0  # nobody said why
    answers.text = "Alberta0 lost her balance"
    window.exclude()
    settled(window, qtbot)
    assert [str(one.state) for one in window.study.trials].count("excluded") == 1
    assert table.current.state is State.EXCLUDED  # it stays chosen
    assert "lost her balance" in cells(window, "remark")[1]
    assert "Alberta" not in cells(window, "remark")[1]
    window.undo_stack.undo()
    settled(window, qtbot)
    assert window.study.states == {State.NOT_RUN: 4}
    window.undo_stack.redo()
    settled(window, qtbot)
    window.include()
    settled(window, qtbot)
    assert window.study.states == {State.NOT_RUN: 4}
    assert (window.study.results / "decisions.toml").read_text().count("[[decision]]") == 4  # never erased


def test_a_cycle_is_taken_out_and_the_trial_is_out_of_date(shown, fresh, answers, qtbot):
    study = analysed_known(fresh)
    (study.folder_of(study.trials[0]) / "cycles.csv").write_text(
        "side,cycle,first frame,last frame,begin [s],end [s],counts,reason\nboth,1,1,31,0.000,0.300,yes,\n"
    )
    window = shown(fresh)
    window.page.table.selectRow(0)
    details = window.page.details
    assert details.cycles.item(0, 2).text() == "yes"
    details.cycles.selectRow(0)
    answers.text = "looked around"
    details.take_out.click()
    settled(window, qtbot)
    assert window.study.trials[0].state is State.STALE
    assert read_decisions(study.results).cycles[study.trials[0].id][0].frame == 1
    assert details.cycles.item(0, 2).text() == "no: looked around"
    assert window.run.text() == "&Run 1 Trial"
    assert details.take_in.isEnabled()
    details.take_in.click()
    settled(window, qtbot)
    assert window.study.trials[0].state is State.DONE


def test_what_is_missing_is_run_and_one_bad_trial_stops_none(shown, fresh, qtbot, monkeypatch):
    window = shown(fresh)
    know(monkeypatch, window.study)
    good = task_module.analysed
    bad = window.study.trials[1].id

    def analysed(task):
        if task.id == bad:
            raise BiomecError("The marker of Alberta0 is gone.")
        return good(task)

    monkeypatch.setattr("biomec.study.task.analysed", analysed)
    monkeypatch.setattr(batch, "_crew", lambda *asked: Crew())
    seen = []
    window.batch.stepped.connect(lambda step: seen.append((step.done, window.page.model.rows[step.done - 1].state)))
    assert window.run.text() == "&Run 4 Trials"
    window.run.click()
    settled(window, qtbot)
    assert seen == [
        (1, State.DONE),
        (2, State.FAILED),
        (3, State.DONE),
        (4, State.DONE),
    ]
    assert window.study.states == {State.DONE: 3, State.FAILED: 1}
    assert cells(window, "remark")[1] == "The marker of S0 is gone."
    assert (window.study.results / "tables" / "angles.csv").is_file()
    assert window.said.text().startswith("3 analysed, 1 failed")
    monkeypatch.setattr("biomec.study.task.analysed", good)
    window.run.click()  # tried again
    settled(window, qtbot)
    assert window.study.states == {State.DONE: 4}
    assert not window.run.isEnabled()


def test_a_decision_made_while_the_tables_are_written_is_shown(shown, fresh, qtbot, monkeypatch):
    """A trial excluded at the end of a run counted again on screen, and not in the file, until F5."""
    window = shown(fresh)
    know(monkeypatch, window.study)
    monkeypatch.setattr(batch, "_crew", lambda *asked: Crew())
    results, first = window.study.results, window.study.trials[0].id
    monkeypatch.setattr(batch_run, "write_tables", lambda study: decide(results, first, "stumbled"))
    window.run.click()
    settled(window, qtbot)
    assert window.study.states == {State.DONE: 3, State.EXCLUDED: 1}
    assert window.said.text().startswith("4 analysed")


def test_a_run_stops_at_once_and_goes_on_later(shown, fresh, answers, qtbot, monkeypatch):
    window = shown(fresh)
    monkeypatch.setattr(batch, "_crew", lambda *asked: Crew(idle=True))  # a trial that never ends
    window.run.click()
    qtbot.waitUntil(lambda: window.batch.jobs.busy)
    answers.choice = None
    window.close()
    assert answers.asked == [RUNNING]
    assert not window.closed
    window.stop.click()
    settled(window, qtbot)
    assert window.wrong.text() == "Stopped. What is done stays done; run it again."
    assert window.run.text() == "&Run 4 Trials"
    assert window.run.isEnabled()


def test_groups_are_compared_over_people(shown, ready, qtbot, answers, tmp_path):
    window = shown(ready)
    window.tabs.setCurrentWidget(window.groups)
    qtbot.waitUntil(lambda: window.groups.content is not None)
    (grid,) = window.groups.content.curves
    panel = next(one for row in grid.rows for one in row if one.name == CURVE)
    means = [np.mean([offset(k, "closed", cycle, 1) for cycle in (1, 2)]) for k in range(PEOPLE)]
    closed = next(one for one in panel.courses if one.label == "closed")
    assert closed.mean[50] == pytest.approx(np.mean(means) + 1.0, abs=1e-5)  # the sine is 1 in the middle of the cycle
    answers.path = tmp_path / "comparison"
    window.groups.save.click()
    qtbot.waitUntil(lambda: not window.groups.jobs.busy)
    with (tmp_path / "comparison" / "comparison.csv").open(encoding="utf-8") as file:
        assert next(csv.DictReader(file))["people first"] == "3"
    window.groups.words.setText("nowhere")
    window.groups.refresh()
    qtbot.waitUntil(lambda: not window.groups.jobs.busy and window.groups.content is None)
    assert not window.groups.save.isEnabled()


def test_report_and_export_are_written_without_names(shown, ready, qtbot, answers, tmp_path):
    window = shown(ready)
    answers.path = tmp_path / "report"  # the dialog adds no end
    outputs.ask_report(window)
    settled(window, qtbot)
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    answers.path, answers.choice = tmp_path / "given", outputs.TABLES_ONLY
    outputs.give_away(window)
    settled(window, qtbot)
    given = b"".join(one.read_bytes() for one in (tmp_path / "given").rglob("*") if one.is_file())
    assert b"Alberta" not in given
    assert b"S2" in given
    answers.path = tmp_path / "report.txt"
    outputs.ask_report(window)
    assert "is written as .pdf" in window.wrong.text()


def test_the_report_holds_the_table_that_is_compared(shown, ready, qtbot, answers, tmp_path, monkeypatch):
    """Muscles were chosen on the page Compare, and the report held angles and loads."""
    asked = []
    kept = outputs.study_report
    monkeypatch.setattr(outputs, "study_report", lambda study, how, progress: asked.append(how) or kept(study, how))
    window = shown(ready)
    outputs.save_report(window, tmp_path / "all.xlsx")
    settled(window, qtbot)
    window.tabs.setCurrentWidget(window.groups)
    qtbot.waitUntil(lambda: window.groups.content is not None)
    outputs.save_report(window, tmp_path / "chosen.xlsx")
    settled(window, qtbot)
    assert [how.tables for how in asked] == [(), ("angles",)]


def test_a_trial_opens_in_the_main_window_and_nothing_is_unsaved(shown, ready, context, answers, qtbot):
    window = shown(ready)
    window.page.table.selectRow(2)
    QTest.keyClick(window.page.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: context.document.is_open and not context.jobs.busy)
    assert context.document.path is None  # saving it cannot overwrite results of the study
    assert not context.document.is_modified
    assert context.preferences.folder == str(ready / "Alberta1" / "v1")
    back_to_study(context)
    assert not answers.told
    window.close()
    back_to_study(context)
    assert answers.told == ["No study is open. File ▸ Open Study… shows one."]


def test_the_folder_page_says_what_every_file_is(shown, fresh, qtbot):
    """Foreign, broken, duplicate and unnamed files, two people with one name, a trial that moved."""
    (fresh / "study.toml").unlink()
    analysed_known_like(fresh)
    (fresh / "letter.docx").write_bytes(b"PK")
    (fresh / "Alberta0" / "v1" / "broken.c3d").write_bytes(b"nonsense")
    (fresh / "Alberta1" / "v1" / "zcopy.trc").write_bytes((fresh / "Alberta0" / "v1" / "open1.trc").read_bytes())
    (fresh / "Alberta1" / "v1" / "open1.trc").rename(fresh / "loose.trc")
    window = shown(fresh)
    hidden = str(window.folder.blocks)
    assert "Alberta" not in hidden
    assert "unreadable" in hidden
    assert "1 trial of nobody" in hidden
    assert "1 trial moved since the analysis; results were kept." in hidden
    window.page.names.setChecked(True)
    told = str(window.folder.blocks)
    for words in ("letter.docx", "broken.c3d", "zcopy.trc", "The same content as Alberta0/v1/open1.trc", "loose.trc"):
        assert words in told
    assert next(one for one in window.study.trials if one.file == "loose.trc").state is State.STALE


def analysed_known_like(folder):
    """Results of every trial, whatever their people are called."""
    study = open_study(folder)
    for one in study.trials:
        record = TrialRecord(one.id, one.made_of, __version__, one.file, one.sha256, "", Headline("m21"))
        (study.folder_of(one)).mkdir(parents=True)
        (study.folder_of(one) / "trial.json").write_text(record.text)
    reopened(study)


def test_a_full_disk_loses_no_decision_and_is_told(shown, fresh, answers, qtbot):
    window = shown(fresh)
    answers.text = "stumbled"
    window.page.table.selectRow(0)
    window.exclude()
    settled(window, qtbot)
    before = (window.study.results / "decisions.toml").read_bytes()
    window.page.table.selectRow(1)
    with Files(fresh, full(0)):
        window.exclude()
    settled(window, qtbot)
    assert "decisions.toml" in window.wrong.text()
    assert (window.study.results / "decisions.toml").read_bytes() == before
    assert window.undo_stack.count() == 1
    assert window.study.states == {State.NOT_RUN: 3, State.EXCLUDED: 1}


def test_two_windows_on_one_study_lose_nothing(shown, fresh, answers, qtbot):
    one, other = shown(fresh), shown(fresh)
    answers.text = "stumbled"
    for row, window in enumerate((one, other)):
        window.page.table.selectRow(row)
        window.exclude()
        settled(window, qtbot)
    one.look()
    settled(one, qtbot)
    assert one.study.states == other.study.states == {State.EXCLUDED: 2, State.NOT_RUN: 2}


def test_a_folder_without_recordings_says_what_to_do(shown, tmp_path):
    (tmp_path / "empty").mkdir()
    window = shown(tmp_path / "empty")
    assert "Choose the folder that holds the folders of the people" in window.page.table.empty.text()
    assert not window.run.isEnabled()
    assert not window.report.isEnabled()


def test_a_study_that_cannot_be_opened_is_told_and_closes(context, answers, tmp_path, qtbot):
    (tmp_path / "study.toml").write_text("name = 3")
    window = open_study_window(context, tmp_path)
    qtbot.waitUntil(lambda: not context.windows)
    assert window.study is None
    (sentence,) = answers.told
    assert sentence.startswith("study.toml")


def test_a_dropped_folder_with_a_study_opens_as_one(context, answers, fresh, qtbot):
    assert is_study(fresh)
    assert is_study(fresh / "study.toml")
    assert not is_study(fresh / "Alberta0")
    open_file(context, fresh / "study.toml")
    open_file(context, fresh)
    first, second = context.windows
    qtbot.waitUntil(lambda: first.study is not None and second.study is not None)
    assert len(first.study.trials) == len(second.study.trials) == 4
    first.shut()
    second.shut()


def test_painting_asks_for_visible_trials_only(shown, fresh, monkeypatch):
    """Work is counted: a large study is filtered by the index, and drawn as far as it is seen."""
    window = shown(fresh)
    trials = tuple(
        StudyTrial(f"{k:016x}", f"a/{k}.trc", "", subject=f"P{k % 150:03d}", condition=("open", "closed")[k % 2])
        for k in range(3_000)
    )
    index = Index()
    index.fill({}, {}, [one.row for one in trials])
    large = Study(window.study.description, trials, {}, (), window.study.settings, index)
    asked = []
    counting = tuple(_counted(one, asked) for one in COLUMNS)
    monkeypatch.setattr(columns, "COLUMNS", counting)
    monkeypatch.setattr("biomec_app.features.study.trial_model.COLUMNS", counting)
    window.page.show_study(large)
    window.page.words.setText("p023 open")
    window.page._filter()
    assert window.page.model.rowCount() == 0  # P023 has odd numbers only: closed
    window.page.words.setText("p023")
    window.page._filter()
    assert window.page.model.rowCount() == 20
    window.page.words.clear()
    window.page._filter()
    asked.clear()
    window.page.table.viewport().grab()
    seen = len(set(asked))
    # rows that fit on the widget and one cut at each end
    assert 0 < seen <= window.page.table.viewport().height() // window.page.table.rowHeight(0) + 2


def _counted(column, asked):

    def text(trial, wording):
        asked.append(trial.id)
        return column.text(trial, wording)

    return replace(column, text=text)
