"""Comparing conditions, ranking exercises and reducing residuals in the window: the numbers of the command line."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication

from biomec.body.loads.joint_stress import joint_stress
from biomec.body.loads.load_components import LoadReading
from biomec.cli import main
from biomec.io.project import save_project
from biomec.reporting.content.reduction_section import reduction_sections
from biomec.reporting.statistics.load_comparison import ComparisonOptions
from biomec.reporting.statistics.load_ranking import exercise_load, rank_exercises
from biomec_app.curves.curve import DOUBTFUL
from biomec_app.features.loads.condition_dialogs import (
    ComparisonDialog,
    RankingDialog,
    compared,
    comparison_sections,
    ranked,
    ranking_sections,
)
from biomec_app.features.loads.reduction_dialog import ReductionDialog
from biomec_app.figures.kind import compose
from biomec_app.figures.registry import figure_named
from biomec_app.figures.style import DOUBT, Ink
from biomec_app.figures.tables import TableWindow
from biomec_app.kit.dialog_parts import opened
from biomec_app.kit.theme import LIGHT
from biomec_app.session.comparison import Compared

SLOW_MS = 120_000
JOINTS = ("right elbow", "left elbow")


@pytest.fixture
def beside(context, grips, monkeypatch):
    """The closed grip open, the open grip beside it."""
    from biomec.reporting.statistics.conditions import Condition

    context.document.open(grips["closed"])
    other = Compared(Condition("open", SimpleNamespace(), grips["open"]))
    monkeypatch.setattr(type(context.comparison), "conditions", property(lambda self: (other,)))
    return context


def tables(title):
    return [one for one in QApplication.topLevelWidgets() if isinstance(one, TableWindow) and one.isVisible()]


def test_a_comparison_is_that_of_the_command_line_bit_for_bit(grips, tmp_path, capsys):
    paths = []
    for name, analysis in grips.items():
        paths.append(tmp_path / f"{name}.biomec")
        save_project(analysis.stored(), paths[-1])
    arguments = ["compare", str(paths[0]), str(paths[1]), "--axes", "distal", "--unit", "per-kg", "--measure", "rms"]
    assert main([*arguments, "--joint", "right elbow", "--joint", "left elbow", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["loads"]
    reading = LoadReading(axes="distal", normalisation="mass")
    found = compared(*grips.items(), reading, ComparisonOptions(measure="rms"), JOINTS)
    assert list(found.names) == list(printed)
    for c, name in enumerate(found.names):
        assert found.mean[c].tolist() == printed[name]["mean"]
        assert found.sd[c].tolist() == printed[name]["sd"]
        assert float(found.p[c]) == printed[name]["p"]
        assert float(found.pearson[c]) == printed[name]["pearson_r"]


def test_no_column_of_a_comparison_is_lost_where_it_is_divided(grips):
    found = compared(*grips.items(), LoadReading(), ComparisonOptions(exchanges=100), JOINTS)
    whole = found.table()
    measure, curves = (section.tables[0] for section in comparison_sections(found, LoadReading()))
    assert (*measure.columns, *curves.columns[1:]) == whole.columns
    assert tuple((*a, *b[1:]) for a, b in zip(measure.rows, curves.rows, strict=True)) == whole.rows


def test_the_order_of_exercises_is_that_of_the_library(grips):
    expected = []
    for name, analysis in grips.items():
        body, loads = analysis.body.person, analysis.loads.multibody
        stress = joint_stress(loads, analysis.segments, body.model, body.joint_axes())
        cycles = analysis.cycles.groups["both"]
        spans = cycles.spans[cycles.valid]
        expected.append(exercise_load(name, loads, stress, spans, analysis.signals.trial.rate_hz, 75.0))
    whole = rank_exercises(expected, JOINTS)
    found = ranked(grips, JOINTS)
    assert np.array_equal(found.burden, whole.burden)
    assert np.array_equal(found.working, whole.working)
    assert found.order("athlete") == whole.order("athlete")
    assert found.order()[0] in ranking_sections(found)[0].sentences[0]


@pytest.mark.parametrize("kind", [ComparisonDialog, RankingDialog])
def test_a_dialog_computes_in_the_background_and_opens_tables(qtbot, beside, kind):
    dialog = kind(beside)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.chosen_joints
    dialog._check_all(Qt.CheckState.Unchecked)
    dialog.compute()
    assert dialog.wrong.text() == "Tick at least one joint."
    items = [dialog.joints.item(k) for k in range(dialog.joints.count())]
    for item in items:
        if item.data(Qt.ItemDataRole.UserRole) in JOINTS:
            item.setCheckState(Qt.CheckState.Checked)
    assert set(dialog.chosen_joints) == set(JOINTS)
    dialog.compute()
    qtbot.waitUntil(lambda: bool(tables("")), timeout=SLOW_MS)
    window = tables("")[0]
    text = window.text()
    assert "open" in text
    assert ("Right elbow flexion moment" in text) == (kind is ComparisonDialog)
    window.close()


def test_the_figure_over_the_cycle_draws_the_open_grip_red_and_the_closed_blue(grips):
    from biomec.reporting.statistics.conditions import Condition

    kind = figure_named("load-cycles")
    chosen = {"joint": "Elbow", "quantity": "Moment", "axes": "Distal axes", "unit": "N, N·m"}
    content = kind.content(grips["closed"], chosen)
    others = (Condition("open", SimpleNamespace(), grips["open"]),)
    both = kind.compared(content, others, "closed", chosen)
    figure = compose(kind, both, chosen, Ink(LIGHT), (9.0, 6.0), 60.0)
    colours = [line.get_color() for line in figure.axes[0].lines if len(line.get_xdata()) > 50]
    assert colours == list(Ink(LIGHT).conditions[:2])
    columns = {one.name: one.values for one in kind.data(both, chosen)}
    name = "right elbow flexion moment"
    for condition, analysis in grips.items():
        from biomec.reporting.statistics.load_condition import loads_over_cycles

        whole = loads_over_cycles(analysis, condition, LoadReading(axes="distal"))
        mean = whole.mean[:, whole.names.index(name)]
        found = columns[f"{name}, multibody, distal axes, internal, {condition}, mean (N·m)"]
        assert np.allclose(found, mean, rtol=1e-9, atol=1e-6)  # on another grid of the cycle


def test_the_figure_of_both_methods_tells_their_difference(grips):
    kind, analysis = figure_named("load-methods"), grips["closed"]
    chosen = {"joint": "Elbow", "cycle": "Whole recording", "unit": "N, N·m"}
    content = kind.content(analysis, chosen)
    loads = analysis.loads.newton_euler
    expected = loads.torque[:, loads.index("left elbow"), 2]
    assert np.array_equal(content.values["left elbow", "Newton-Euler"][:, 5], expected, equal_nan=True)
    assert content.difference[0] < 1e-8
    figure = compose(kind, content, chosen, Ink(LIGHT), (9.0, 6.0), 60.0)
    drawn = [line for line in figure.axes[0].lines if line.get_linewidth() in (1.0, 2.0)]
    assert [line.get_linestyle() for line in drawn[:4]] == ["-", "--", "-", "--"]
    usable = analysis.loads.trust.frames_of["right elbow"].usable
    assert not usable.all()  # the motion begins and ends
    dotted = [line for line in figure.axes[0].lines if line.get_linewidth() == DOUBT["linewidth"]]
    assert np.array_equal(np.isfinite(drawn[0].get_ydata()), usable)
    assert np.isfinite(dotted[0].get_ydata())[~usable].all()
    assert DOUBTFUL in [text.get_text() for text in figure.legends[0].get_texts()]
    assert analysis.loads.plate_words in kind.remark(content, chosen)


def test_residuals_are_reduced_only_once_every_change_was_shown_and_accepted(qtbot, context, grips):
    document = context.document
    document.open(grips["closed"])
    before = document.analysis
    dialog = ReductionDialog(context)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.masses.setChecked(False)
    dialog.motion.setChecked(False)
    dialog.try_.click()
    assert dialog.wrong.text() == "Choose masses, motion or both."
    dialog.masses.setChecked(True)
    dialog.mass.setValue(8.0)
    dialog.try_.click()
    qtbot.waitUntil(lambda: dialog.candidate is not None, timeout=SLOW_MS)
    assert document.analysis is before  # nothing is changed yet
    reduced = dialog.candidate.loads.reduced
    assert dialog.candidate.settings.loads.reduction.inertia.mass == pytest.approx(0.08)
    assert reduced.change is None
    residual, masses, joints = reduction_sections(reduced)
    assert len(masses.tables[0].rows) == len(reduced.segments) + 1
    assert residual.tables[0].rows[0][1:] == tuple(f"{one.force_rms[3]:.1f}" for one in (reduced.before, reduced.after))
    assert len(joints.tables[0].rows) == len(reduced.loads.joints)
    assert dialog.tabs.count() == 3
    dialog.apply.click()
    assert document.analysis.loads.reduced is reduced
    assert document.analysis.is_current("loads")
    assert any(notice.code == "inertia-adjusted" for notice in document.analysis.notices)
    assert "ReductionOptions(" in document.history[0]
    document.undo_stack.undo()
    assert document.analysis is before


def test_closing_the_dialog_ends_what_is_being_tried(qtbot, context, grips):
    """It went on without anybody who could use it, and wrote into a dialog that was gone."""
    context.document.open(grips["closed"])
    failed = []
    context.jobs.failed.connect(lambda title, sentence: failed.append(sentence))
    dialog = opened(ReductionDialog(context))
    dialog.try_.click()
    assert context.jobs.busy
    with qtbot.waitSignal(dialog.destroyed):
        dialog.reject()
        QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
    qtbot.waitUntil(lambda: not context.jobs.busy, timeout=SLOW_MS)
    assert failed == []
