"""Visualize ▸ Biomechanical Signals."""

from dataclasses import replace

from biomec_app.plots.plots import PlotPanel
from biomec_app.session.context import Context
from biomec_app.shell.actions.biomechanical_signals import ACTIONS


def test_every_choice_is_checked_after_it_was_made(context: Context, document_with_demo) -> None:
    for action in ACTIONS:
        if action.checked is not None:
            assert action.blocked(context) is None
            action.run(context)
            assert action.checked(context)


def test_cycles_must_be_found_first(context: Context, document_with_demo) -> None:
    analysis = context.document.analysis
    done = {name: value for name, value in analysis.done.items() if name != "cycles"}
    context.document.open(replace(analysis, done=done))
    mean = next(action for action in ACTIONS if action.key == "signals.over.mean")
    assert mean.blocked(context) == 'Run "Cycles" first.'


def test_the_chooser_opens(qtbot, context: Context, document_with_demo) -> None:
    panel = PlotPanel(context)
    qtbot.addWidget(panel)
    panel.show()
    ACTIONS[0].run(context)
    assert panel.chooser.isVisible()
    assert panel.chooser.count.text() == "14 curves chosen"
    panel.chooser.hide()
