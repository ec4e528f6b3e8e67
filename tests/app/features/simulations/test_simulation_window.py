"""A simulation as a user meets it: dialog, run, list, 3-D view, curves, figure, saved and opened again."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.base.fields import all_entries, group
from biomec.body.tracking.what_if import WhatIf
from biomec.cli import main
from biomec.engine.forward.formulation import FormulationOptions
from biomec.engine.forward.formulations import FORMULATIONS
from biomec.engine.forward.integrators import INTEGRATORS
from biomec.engine.forward.simulation import Ending
from biomec.io.project import load_project, save_project
from biomec.pipeline.reopen import open_again, reopened
from biomec.pipeline.replay import script
from biomec.pipeline.simulation import run_simulation
from biomec.pipeline.simulation_settings import INPUTS, SimulationSettings
from biomec.pipeline.stretch import cycle_spans
from biomec_app.curves.catalogue import list_curves
from biomec_app.features.simulations import running
from biomec_app.features.simulations.curves import plotted, simulation_key
from biomec_app.features.simulations.dialog import SimulationDialog, default_settings
from biomec_app.features.simulations.dialog_boxes import hands_press
from biomec_app.features.simulations.panel import SimulationPanel
from biomec_app.features.simulations.runs import (
    comparison,
    free_name,
    integrators_for,
    named,
    rename_line,
    renamed,
    run_facts,
    run_line,
    short_name,
)
from biomec_app.figures.kind import compose
from biomec_app.figures.registry import figure_named
from biomec_app.figures.style import Ink
from biomec_app.kit.theme import DARK, LIGHT
from biomec_app.session.view_options import CONSISTENT, RAW, SIMULATED, View
from biomec_app.shell.actions import all_actions
from biomec_app.viewer.scene import Scene

BY_KEY = {action.key: action for action in all_actions()}
SLOW_MS = 240_000
SHORT = SimulationSettings(name="short", input="resultant", frames=(50, 62))
LONG = SimulationSettings(name="long", frames=(10, 120), step_s=1e-4)


@pytest.fixture(scope="session")
def simulated(push_up):
    """The push-up with two runs: one complete, one that runs away."""
    analysis = push_up.with_simulation(run_simulation(push_up, SHORT))
    away = SimulationSettings(name="played back", input="inverse", frames=(50, 90))
    return analysis.with_simulation(run_simulation(push_up, away))


@pytest.fixture
def panel(qtbot, context, document):
    widget = SimulationPanel(context)
    qtbot.addWidget(widget)
    widget.resize(440, 480)
    widget.show()
    return widget


def wait(qtbot, context):
    qtbot.waitUntil(lambda: not context.jobs.busy, timeout=SLOW_MS)


# ------------------------------------------------------------------------------------------------------------- dialog
ADVANCED = {
    **{name: ("equations", name) for name in ("alpha", "xi", "omega")},
    "constraints": ("equations", "tolerance"), "constraint_iterations": ("equations", "max_iterations"),
    **{name: (name,) for name in ("tolerance", "max_iterations", "rho", "damping")},
}  # fmt: skip


def test_every_choice_of_the_library_has_words_and_every_setting_help():
    described = group(SimulationSettings())
    known = {"input": INPUTS, "formulation": ("auto", *FORMULATIONS), "integrator": ("auto", *INTEGRATORS)}
    for name, values in known.items():
        choices = described[name].choices
        assert [one.value for one in choices] == list(values)
        assert all(one.label and one.help for one in choices)
    for entry in all_entries(described.parts):
        assert entry.setting.label, entry.path
        assert entry.setting.help.endswith("."), entry.path


@pytest.mark.parametrize("input", INPUTS)
@pytest.mark.parametrize("formulation", ["auto", *FORMULATIONS])
def test_every_integrator_that_is_offered_can_be_run_and_the_others_cannot(input, formulation):
    offered = integrators_for(input, formulation)
    for integrator in ("auto", *INTEGRATORS):
        if integrator in offered:
            SimulationSettings(input=input, formulation=formulation, integrator=integrator)
        else:
            with pytest.raises(BiomecError):
                SimulationSettings(input=input, formulation=formulation, integrator=integrator)


@pytest.mark.parametrize("settings", [
    SimulationSettings(),
    SimulationSettings("mine", "resultant", formulation="index-3", integrator="generalised-alpha", step_s=0.0025),
    SimulationSettings("gear", "resultant", integrator="gear", order=2, frames=(3, 40)),
    SimulationSettings(input="underactuated", root="held", stiffness=400.0, cycle="1",
                       what_if=WhatIf(1.1, {"head": 1.2}, {"right hand": 5.0, "left hand": 5.0}, 0.38, -0.05,
                                      {"right elbow": 0.3})),
    SimulationSettings(root="contact", joint_stops=True, frames=(5, 30)),
    SimulationSettings(damping=40.0, tolerance=1e-10, rho=0.25, max_iterations=400,
                       equations=FormulationOptions(3e6, 0.7, 25.0, 1e-12, 7)),
    SimulationSettings(input="pd", integrator="runge-kutta-8", error=2.5e-6, joint_stops=True,
                       what_if=WhatIf(weakened={"left knee": 0.1, "neck": 0.2})),
])  # fmt: skip
def test_the_dialog_shows_settings_and_gives_them_back(qtbot, context, document, settings):
    dialog = SimulationDialog(context, settings=settings)
    qtbot.addWidget(dialog)
    assert dialog.settings == settings


def test_the_grip_is_asked_for_only_where_hands_press_on_the_ground(qtbot, context, document, monkeypatch):
    """A walk's simulation offered a wider grip."""
    for press in (True, False):
        monkeypatch.setattr(
            "biomec_app.features.simulations.dialog_boxes.hands_press", lambda analysis, press=press: press
        )
        dialog = SimulationDialog(context, settings=SHORT)
        qtbot.addWidget(dialog)
        assert dialog.form.rows["what_if", "grip_m"].widget.isVisibleTo(dialog) is press
        assert dialog.settings == SHORT
    assert hands_press(document.analysis)  # a push-up
    feet = SimpleNamespace(segments=("right foot", "left foot"))
    assert not hands_press(SimpleNamespace(done={"loads": None}, loads=SimpleNamespace(external=feet)))


def test_defaults_follow_the_first_cycle_and_can_be_restored(qtbot, context, document):
    dialog = SimulationDialog(context, settings=LONG)
    qtbot.addWidget(dialog)
    dialog.form.rows["what_if", "mass"].widget.setValue(150.0)
    dialog.reset.click()
    assert dialog.settings == default_settings(document.analysis) == SimulationSettings(cycle="1")
    assert "steps of 1 ms" in dialog.summary.text()
    dialog.show()
    assert dialog.run.isDefault()  # Enter runs; it must not throw away what was set
    assert not dialog.reset.isDefault()


def test_settings_of_the_methods_are_folded_until_they_differ_and_go_back_to_the_specified(qtbot, context, document):
    dialog = SimulationDialog(context, settings=SimulationSettings(frames=(10, 40)))
    qtbot.addWidget(dialog)
    dialog.show()
    box = dialog.advanced
    assert not box.inside.isVisible()
    before = dialog.height()
    box.fold.click()
    assert box.inside.isVisible()
    assert dialog.height() > before
    assert "63.25" in box.rows["damping",].widget.placeholderText()
    for name, text in {"alpha": "1e6", "xi": "0.5", "omega": "20", "constraints": "1e-9", "tolerance": "1e-9",
                       "rho": "0.5", "damping": "30", "max_iterations": "80",
                       "constraint_iterations": "9"}.items():  # fmt: skip
        box.rows[ADVANCED[name]].widget.setText(text)
    asked = dialog.settings
    assert asked.equations == FormulationOptions(1e6, 0.5, 20.0, 1e-9, 9)
    assert (asked.tolerance, asked.rho, asked.damping, asked.max_iterations) == (1e-9, 0.5, 30.0, 80)
    again = SimulationDialog(context, settings=asked)
    qtbot.addWidget(again)
    again.show()
    assert again.advanced.inside.isVisible()  # what differs is not hidden
    fine = replace(asked, equations=FormulationOptions(123456.789, 0.5, 20.0, 1e-9), damping=2.0**-3 + 1e-9)
    again.fill(fine)
    assert again.settings == fine  # all digits of an earlier run
    box.reset.click()
    assert dialog.settings == SimulationSettings(frames=(10, 40))


@pytest.mark.parametrize(
    ("settings", "meant"),
    [
        (SimulationSettings(), {"damping"}),
        (SimulationSettings(formulation="newton-euler"), {"damping"}),
        (SimulationSettings(integrator="runge-kutta-8"), {"xi", "omega", "damping"}),
        (SimulationSettings(input="resultant"), {"alpha", "xi", "omega", "tolerance", "max_iterations"}),
        (SimulationSettings(input="resultant", formulation="index-3", integrator="generalised-alpha"),
         {"alpha", "tolerance", "max_iterations", "rho"}),
        (SimulationSettings(input="resultant", formulation="augmented", integrator="radau"),
         {"alpha", "xi", "omega", "constraints", "constraint_iterations"}),
        (SimulationSettings(input="pd", formulation="classic", integrator="adams"),
         {"alpha", "tolerance", "max_iterations", "damping"}),
        (SimulationSettings(input="inverse", integrator="trapezoidal"),
         {"xi", "omega", "tolerance", "max_iterations"}),
    ],
)  # fmt: skip
def test_only_settings_that_do_something_can_be_entered(qtbot, context, document, settings, meant):
    dialog = SimulationDialog(context, settings=replace(settings, frames=(10, 40)))
    qtbot.addWidget(dialog)
    assert {path for path, row in dialog.advanced.rows.items() if row.widget.isEnabled()} == {
        ADVANCED[name] for name in meant
    }


@pytest.mark.parametrize(("name", "text", "sentence"), [
    ("alpha", "", "α: nothing is not a number"), ("alpha", "0", "must be positive"),
    ("rho", "1e", '"1e" is not a number'),
    ("max_iterations", "inf", "inf is not a whole number"), ("max_iterations", "nan", "nan is not a whole number"),
    ("max_iterations", "2.5", "Step iterations: 2.5 is not a whole number"),
    ("max_iterations", "0", "1 to 1000, not 0"),
])  # fmt: skip
def test_a_setting_that_is_no_number_is_said_before_it_runs(qtbot, context, document, name, text, sentence):
    dialog = SimulationDialog(context, settings=SimulationSettings(frames=(10, 40)))
    qtbot.addWidget(dialog)
    dialog.advanced.rows[ADVANCED[name]].widget.setText(text)
    assert sentence in dialog.wrong.text()
    assert not dialog.run.isEnabled()
    dialog.advanced.reset.click()
    assert dialog.run.isEnabled()


def test_the_frames_of_the_chosen_part_are_shown(qtbot, context, demo_analysis):
    context.document.open(demo_analysis)
    first = cycle_spans(demo_analysis)[0]
    dialog = SimulationDialog(context, settings=SimulationSettings(cycle=first.name))
    qtbot.addWidget(dialog)
    base = demo_analysis.session.dynamic.first_frame
    assert (dialog.first.value(), dialog.last.value()) == (base + first.first, base + first.last)
    dialog.part.setCurrentIndex(dialog.part.findData("frames"))
    assert dialog.settings.frames == (first.first, first.last)  # to begin from
    dialog.first.setValue(base + 100)
    assert dialog.settings.frames == (100, first.last)
    dialog.part.setCurrentIndex(dialog.part.findData("whole"))
    assert (dialog.first.value(), dialog.last.value()) == (base, base + demo_analysis.session.dynamic.frames - 1)


def test_what_cannot_be_is_said_before_it_runs(qtbot, context, document):
    dialog = SimulationDialog(context, settings=SimulationSettings(frames=(10, 40)))
    qtbot.addWidget(dialog)
    assert dialog.run.isEnabled()
    dialog.first.setValue(dialog.last.value() + 1)
    assert not dialog.run.isEnabled()
    assert "later last one" in dialog.wrong.text()
    dialog.first.setValue(dialog.last.value() - 20)
    assert dialog.run.isEnabled()
    assert not dialog.wrong.text()
    dialog.input.setCurrentIndex(dialog.input.findData("resultant"))
    assert not dialog.what_if.isEnabled()
    assert not dialog.stops.isEnabled()
    assert not dialog.root_words.text()
    dialog.stops.setChecked(True)
    assert not dialog.settings.joint_stops  # they have no meaning there
    dialog.input.setCurrentIndex(dialog.input.findData("inverse"))
    dialog.root.setCurrentIndex(dialog.root.findData("contact"))
    assert "needs computed torques" in dialog.wrong.text()
    dialog.root.setCurrentIndex(dialog.root.findData("feet"))
    assert "only contact of its feet" in dialog.wrong.text()
    assert dialog.root_words.text().startswith("For walking")
    assert not dialog.run.isEnabled()
    dialog.root.setCurrentIndex(0)
    assert dialog.root_words.text().startswith("Nothing. Only the ground reactions")  # what torques played back have
    dialog.input.setCurrentIndex(dialog.input.findData("resultant"))
    assert dialog.integrator.findData("constant-acceleration") < 0


@pytest.mark.parametrize(("key", "formulation", "integrator"), [
    ("single", "newton-euler", "trapezoidal"), ("gear", "newton-euler", "gear"), ("adams", "newton-euler", "adams"),
    ("lagrange", "classic", "adams"), ("baumgarte", "stabilised", "adams"), ("penalty", "penalty", "adams"),
    ("augmented", "augmented", "adams"), ("projected", "index-3", "trapezoidal"),
])  # fmt: skip
def test_menu_items_open_the_dialog_with_their_method(qtbot, context, document, monkeypatch, key, formulation,
                                                      integrator):  # fmt: skip
    opened = []
    monkeypatch.setattr(
        "biomec_app.features.simulations.dialog.open_simulation", lambda _, settings: opened.append(settings)
    )
    action = BY_KEY[f"dynamics.{key}"]
    assert action.menu in ("Dynamics/Simulation/Newton-Euler", "Dynamics/Simulation/Multibody")
    assert action.blocked(context) is None
    action.run(context)
    assert (opened[0].chosen_formulation, opened[0].chosen_integrator, opened[0].order) == (formulation, integrator, 4)


# ---------------------------------------------------------------------------------------------- running from the dialog
def test_a_run_is_listed_shown_saved_and_opened_again_with_the_numbers_of_the_command_line(
    qtbot, context, panel, document, tmp_path
):
    project = tmp_path / "session.biomec"
    save_project(document.analysis.stored(), project)
    dialog = SimulationDialog(context, settings=SHORT)
    qtbot.addWidget(dialog)
    words = []
    context.jobs.progressed.connect(lambda status: words.append(status.words))
    dialog.accept()
    wait(qtbot, context)
    assert list(document.analysis.simulations) == ["short"]
    assert panel.chosen == ("short",)
    assert panel.table.item(0, 1).text() == "complete"
    assert "0.24 s simulated, comparing with the recording" in words
    assert document.view.signals == (SIMULATED, CONSISTENT)
    assert document.frame == 50
    run = document.analysis.simulations["short"]

    first, base = SHORT.frames[0], document.analysis.signals.trial.first_frame
    frames = f"{base + first}-{base + SHORT.frames[1]}"
    assert main(["simulate", str(project), "--input", "resultant", "--frames", frames, "--name", "short"]) == 0
    command = reopened(load_project(project)).analysis.simulations["short"]
    assert command.settings == run.settings
    for name in ("q", "qdot", "qddot", "violation", "torques", "angles", "step_time_s"):
        np.testing.assert_array_equal(getattr(command, name), getattr(run, name))

    save_project(document.analysis.stored(), project)
    again = open_again(load_project(project))
    np.testing.assert_array_equal(again.simulations["short"].q, run.q)
    assert again.stale_simulations == ()
    document.open(again, project)
    qtbot.waitUntil(lambda: panel.table.rowCount() == 1 and panel.facts is not None, timeout=5000)

    text = script(document.analysis, [run_line(SHORT)], project)
    assert "from biomec.pipeline.simulation import run_simulation" in text
    found: dict = {}
    exec(compile(text, "history", "exec"), found)
    np.testing.assert_array_equal(found["analysis"].simulations["short"].q, run.q)


def test_a_stopped_run_keeps_what_it_reached(qtbot, context, panel, document):
    few = (LONG.frames[0], LONG.frames[0] + 9)
    # the first time the panel tells of compiling instead
    run_simulation(document.analysis, replace(LONG, frames=few, step_s=1e-3))
    cancelled = []
    context.jobs.cancelled.connect(cancelled.append)
    running.simulate(context, LONG)
    qtbot.waitUntil(lambda: "simulated" in panel.told.text(), timeout=SLOW_MS)
    assert panel.running.isVisible()
    panel.stop.click()
    wait(qtbot, context)
    run = document.analysis.simulations["long"]
    assert run.ending is Ending.STOPPED
    assert 0.0 < run.reached_s < (LONG.frames[1] - LONG.frames[0]) / run.rate_hz
    assert len(run.q) == len(run.distance) > 0
    assert not cancelled
    assert "stopped by the user" in document.history[-1]
    assert panel.running.isHidden()
    assert panel.table.item(0, 1).text() == "stopped"
    document.undo_stack.undo()
    assert not document.analysis.simulations


def test_a_run_that_cannot_be_set_up_changes_nothing(qtbot, context, document):
    sentences = []
    context.jobs.failed.connect(lambda title, sentence: sentences.append(sentence))
    running.simulate(context, replace(SHORT, input="pd", what_if=WhatIf(weakened={"third knee": 0.5})))
    wait(qtbot, context)
    assert "third knee" in sentences[0]
    assert not document.analysis.simulations


# -------------------------------------------------------------------------------------------------------- list of runs
def test_runs_are_renamed_and_deleted_and_undone(qtbot, context, panel, simulated):
    document = context.document
    document.open(simulated)
    panel._fill()
    panel.choose("short")
    panel.show_run(beside=False)
    panel.ask_name = lambda before: "played back"
    sentences = []
    context.user.tell = context.user.fail = lambda title, sentence: sentences.append(sentence)
    panel.buttons["rename"].click()
    assert "already" in sentences[0]
    panel.ask_name = lambda before: f" {before} one "
    panel.buttons["rename"].click()
    wait(qtbot, context)
    assert list(document.analysis.simulations) == ["short one", "played back"]
    assert document.analysis.simulations["short one"].name == "short one"
    assert document.view.simulation == "short one"
    panel._fill()
    panel.choose("short one", "played back")
    panel.buttons["delete"].click()
    wait(qtbot, context)
    assert not document.analysis.simulations
    document.undo_stack.undo()
    document.undo_stack.undo()
    assert document.analysis is simulated


def test_lines_of_the_history_do_the_same(simulated):
    found = {"analysis": simulated, "replace": replace}
    exec(rename_line("short", "it's"), found)
    assert (
        list(found["analysis"].simulations)
        == ["it's", "played back"]
        == list(renamed(simulated, "short", "it's").simulations)
    )
    assert found["analysis"].simulations["it's"].name == "it's"


def test_facts_tell_what_the_library_found(simulated):
    run = simulated.simulations["short"]
    facts = run_facts(simulated, run)
    assert facts.rows["Reached"] == "0.24 s of 0.24 s"
    assert facts.rows["Steps"] == "120"
    assert f"{1e3 * run.spread['q'].mean:.3g}" in facts.rows["Distance, positions"]
    away = run_facts(simulated, simulated.simulations["played back"])
    assert not away.completed
    assert away.ending == "ran away"
    assert "Stopped at" in away.sentence
    results, settings = comparison(simulated)
    assert [row[0] for row in results.tables[0].rows] == ["short", "played back"]
    assert results.tables[1].rows[1][1] == f"{1e3 * simulated.simulations['played back'].spread['q'].mean:.3g}"
    assert settings.tables[0].rows[1][1] == "Torques of inverse dynamics and plates"


def test_facts_tell_of_stops_and_of_what_holds_the_body(push_up):
    """Hands on the floor bend the wrists farther than the table of ranges has it."""
    settings = SimulationSettings("floor", root="contact", joint_stops=True, frames=(50, 56))
    run = run_simulation(push_up, settings)
    rows = run_facts(push_up.with_simulation(run), run).rows
    assert rows["Input"] == "Computed torques; held by contact with the floor"
    assert rows["Changed"] == "stops at the joints"
    assert "wrist" in rows["Stop that bears most"]
    assert "RMS" in rows["Ground reactions changed by"]
    plain = push_up.with_simulation(run_simulation(push_up, SHORT))
    assert "Stop that bears most" not in run_facts(plain, plain.simulations["short"]).rows


def test_names_are_free_and_say_what_was_changed(simulated):
    assert free_name(simulated, "short") == "short (2)"
    assert named(simulated, SHORT).name == "short (2)"
    both = WhatIf(carried={"right hand": 5.0, "left hand": 5.0}, weakened={"right elbow": 0.3})
    assert short_name(SimulationSettings(root="contact", cycle="1", joint_stops=True)) == "On contacts, cycle 1, stops"
    assert short_name(SimulationSettings(root="feet", cycle="Right 1")) == "On its feet, cycle Right 1"
    assert short_name(SimulationSettings(input="underactuated", cycle="2", what_if=both)) == (
        "Ground holds, cycle 2, 5 kg at both hands, right elbow 30 % weaker"
    )


def test_an_old_run_says_so(simulated):
    settings = simulated.settings
    older = simulated.with_settings(
        replace(settings, positions=replace(settings.positions, max_iterations=7))
        if hasattr(settings.positions, "max_iterations")
        else replace(settings, signals=replace(settings.signals, marker_filter=None))
    )
    assert run_facts(older, older.simulations["short"]).stale
    assert not run_facts(simulated, simulated.simulations["short"]).stale


# ------------------------------------------------------------------------------------------------- 3-D view and curves
def test_the_simulated_body_is_drawn_alone_or_over_the_recorded_one(simulated):
    run = simulated.simulations["played back"]
    scene = Scene(simulated, LIGHT, View(signals=(SIMULATED,), simulation="played back"))
    frame = run.first + len(run.q) - 1
    scene.update(frame)
    assert scene.kinds == (SIMULATED,)
    body = simulated.body.person.system.layout
    name = "right hand.origin" if "right hand.origin" in scene.poses.names else scene.poses.names[0]
    place = np.asarray(body.point(name)(run.q[-1:]))[0]
    np.testing.assert_allclose(scene.moment.pose.points[scene.poses.names.index(name)], place, atol=1e-12)
    assert scene.status() == "Simulated: played back"
    scene.show(View(signals=(SIMULATED, CONSISTENT), simulation="played back"))
    assert scene.kinds == (SIMULATED, CONSISTENT)
    apart = scene.moment.bodies[SIMULATED].points - scene.moment.bodies[CONSISTENT].points
    assert np.nanmax(np.abs(apart)) > 1e-3
    assert "consistent" in [entry.text for entry in scene.legend()]
    scene.show(View(signals=(SIMULATED, RAW), simulation="played back"))
    assert scene.kinds == (SIMULATED, RAW)
    assert scene.status() == "Simulated: played back; measured as magenta lines"
    scene.update(run.first + len(run.q))  # beyond its end: what it is compared with is what overlays belong to
    assert scene.moment.kind == RAW
    assert scene.moment.pose is scene.moment.bodies[RAW]
    scene.show(View(signals=(SIMULATED,), simulation="played back"))
    scene.update(run.first + len(run.q))
    assert scene.moment.kind == CONSISTENT
    assert "only" in scene.status()
    scene.show(View(signals=(SIMULATED,), simulation="deleted"))
    assert scene.kinds == (CONSISTENT,)
    scene.show(View(signals=(SIMULATED,)))
    assert scene.run is run
    scene.show(View(signals=(RAW,)))
    assert scene.kinds == (RAW,)


def test_curves_lie_in_the_plots_of_what_they_are_compared_with(simulated):
    curves, run = list_curves(simulated), simulated.simulations["short"]
    keys = plotted(simulated, ("short", "played back"), "angles", ("elbow",))
    angle = curves[simulation_key("short", "angles/right elbow flexion")]
    recorded = curves["angle/right elbow flexion"]
    assert {angle.key, recorded.key} <= set(keys)
    assert angle.pane == recorded.pane
    k = run.angle_names.index("right elbow flexion")
    np.testing.assert_allclose(angle.values, np.degrees(run.angles[:, k]))
    np.testing.assert_allclose(recorded.values[run.frames], np.degrees(run.measured_angles[:, k]), atol=1e-6)
    np.testing.assert_allclose(angle.time_s, recorded.time_s[run.frames])
    for what in ("moments", "energy", "quality"):
        keys = plotted(simulated, ("short",), what, ("elbow",))
        assert len(curves.found(keys)) == len(keys) > 2, what
    moment = next(key for key in plotted(simulated, ("short",), "moments", ("elbow",)) if key.startswith("simulation"))
    assert curves[moment].pane in {curve.pane for curve in curves if curve.key.startswith("load/joint/none/")}


def test_buttons_of_the_panel_plot_and_choose(qtbot, context, panel, simulated):
    context.document.open(simulated)
    panel._fill()
    panel.set_theme(DARK)
    panel._fill()
    panel.choose("short", "played back")
    with qtbot.waitSignal(context.plots.look_asked):  # the panel Signals stands behind this one
        panel.plot_curves("angles")
    assert any(key.startswith("simulation/played back/angles/") for key in context.document.selection.curves)
    panel.choose("short")
    panel.buttons["show"].click()
    assert context.document.view.signals == (SIMULATED,)
    panel.choose("played back")
    assert context.document.view.simulation == "played back"


@pytest.mark.parametrize("level", ["Positions", "Velocities", "Accelerations"])
def test_the_figure_lays_all_runs_over_each_other(simulated, push_up, level):
    kind = figure_named("simulation-runs")
    assert "simulations" in kind.blocked(push_up)
    chosen = {"level": level, "time": "since the start"}
    content = kind.content(simulated, chosen)
    figure = compose(kind, content, chosen, Ink(LIGHT), (9.0, 6.0), 60)
    assert [len(axes.lines) for axes in figure.axes] == [3, 2, 2]  # the cross of the run that ended early
    columns = {column.name: column.values for column in kind.data(content, chosen)}
    assert columns["short: time of frames (s)"][0] == 0.0
    assert len(columns["short: energy without a source (J)"]) == len(simulated.simulations["short"].step_time_s)
