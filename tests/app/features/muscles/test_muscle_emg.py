"""EMG beside muscles: which channel is which, how far both agree, and usual timing."""

import threading
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from biomec.body.muscles.emg_comparison import TimingAgreement
from biomec.body.muscles.sharing_options import ASSISTED
from biomec.pipeline.muscle_cycles import muscle_timing
from biomec.recording import Analog
from biomec_app.features.muscles import emg_window
from biomec_app.features.muscles.emg_content import emg_page, over_own
from biomec_app.features.muscles.emg_window import MuscleEmgWindow, about, cells
from biomec_app.features.muscles.heat_content import MuscleFilter, emg_beside, heat_rows
from biomec_app.features.muscles.timing_chart import LINE, TOP, TimingChart
from biomec_app.features.muscles.what_if_content import asked_frames
from tests.core.pipeline.test_real_muscles import walked

CHANNELS = {"R Soleus": "soleus_r", "L_RF": "rect_fem_l"}
RATE, DELAY_S = 1000.0, 0.04


@pytest.fixture(scope="module")
def measured(muscle_analysis):
    """The push-up with bursts of two muscles, EMG that they modulate, and a channel of no known muscle."""
    trial, found = muscle_analysis.session.dynamic, muscle_analysis.muscles
    time = np.arange(round(RATE * trial.frames / trial.rate_hz)) / RATE
    noise = np.random.default_rng(7).normal(size=(len(time), len(CHANNELS) + 1))
    activation = found.forces.activation.copy()
    for c, muscle in enumerate(CHANNELS.values()):
        bursts = np.maximum(np.sin(4.0 * (c + 1) * trial.time_s), 0.0) ** 2
        activation[:, found.forces.index(muscle)] = bursts
        noise[:, c] *= np.interp(time + DELAY_S, trial.time_s, bursts)
    emg = Analog((*CHANNELS, "EMG 9"), 1e-4 * noise, ("V",) * 3, RATE)
    result = replace(found, forces=replace(found.forces, activation=activation))
    done = {**muscle_analysis.done, "muscles": replace(muscle_analysis.done["muscles"], value=result)}
    session = replace(muscle_analysis.session, dynamic=replace(trial, emg=emg))
    return replace(muscle_analysis, session=session, done=done)


def test_channels_are_found_by_name_and_agree_with_what_modulates_them(measured):
    page = emg_page(measured)
    assert {line.channel.channel: line.elements for line in page.lines} == {
        channel: (muscle,) for channel, muscle in CHANNELS.items()
    }
    assert page.unknown == ("EMG 9",)
    assert page.own_maximum
    for line in page.lines:
        assert line.agreement.r > 0.8
        assert abs(line.agreement.lag_s) < 0.06  # a frame: the delay of the settings is that of the signal
        assert np.nanmax(line.measured) == pytest.approx(1.0)
        assert cells(line)[2] == f"{line.agreement.r:.2f}"
    assert "EMG 9" in about(page)
    assert page.timing == ()  # a push-up has no steps


def test_a_cycle_that_counts_is_drawn_whole():
    """The left side of a walk had no computed course over the cycle: its last frames lie behind the plates."""
    walk = walked("gait_pig_pair/HC030A05.c3d", "gait_pig_pair/HC030A01.c3d")
    lines = emg_page(walk).lines
    assert len(lines) == 10
    for line in lines:
        assert np.isfinite(line.cycle_computed).all()
        assert np.nanmax(line.cycle_computed) == pytest.approx(1.0)
        assert np.isnan(line.computed).any()  # over time only where loads can be relied on
        assert line.reference.endswith("(own maximum in this trial)")


def test_the_heat_map_has_the_envelope_under_the_muscle(measured):
    rows = {row.muscle: row for row in heat_rows(measured, MuscleFilter(), frozenset(), emg_beside(measured))}
    assert rows["soleus_r"].emg is not None
    assert rows["soleus_l"].emg is None


def test_what_if_keeps_measured_activations(measured):
    """It refused: "there are none"."""
    muscles = measured.settings.muscles
    assisted = replace(muscles, sharing=replace(muscles.sharing, emg=ASSISTED))
    found = measured.with_settings(replace(measured.settings, muscles=assisted)).run("muscles")
    asked = asked_frames(found)
    assert asked.question.emg.muscles == found.muscles.question.emg.muscles
    assert len(asked.question.emg.activation) == len(asked.frames)
    assert asked.question.forces.solved.all()


def test_a_recording_without_emg_says_so(muscle_analysis):
    without = replace(
        muscle_analysis,
        session=replace(muscle_analysis.session, dynamic=replace(muscle_analysis.session.dynamic, emg=None)),
    )
    page = emg_page(without)
    assert page.lines == ()
    assert (
        about(page) == "The recording has no EMG. Usual timing needs a gait cycle whose ground reaction was measured."
    )
    assert muscle_timing(without) == ()
    assert over_own(np.zeros(3)).tolist() == [0.0, 0.0, 0.0]


def test_the_window_shows_channels_and_a_row_lets_the_muscle_stand_out(qtbot, context, measured):
    context.document.open(measured)
    window = MuscleEmgWindow(context)
    qtbot.addWidget(window)
    window.show()
    assert window.page is not None or window.said.text() == emg_window.COMPARING
    qtbot.waitUntil(lambda: window.page is not None)
    assert "Comparing" not in window.said.text()
    assert window.table.rowCount() == len(CHANNELS)
    window.table.setCurrentCell(1, 0)  # selectRow asks the header, which may not be laid out yet
    assert context.document.selection.muscle == window.page.lines[1].elements[0]
    window.over.setCurrentIndex(1)
    assert window.plots.minimumHeight() > 100
    assert not window.tabs.isTabVisible(1)


def test_the_window_shows_the_last_of_several_changes(qtbot, context, measured, monkeypatch):
    """The analysis changed twice while the window compared: it kept the result of the first."""
    seen = []
    whole = emg_window.emg_page

    def slow(analysis):
        seen.append(analysis)
        go.wait(10.0)
        return whole(analysis)

    go = threading.Event()
    go.set()
    monkeypatch.setattr(emg_window, "emg_page", slow)
    context.document.open(measured)
    window = MuscleEmgWindow(context)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: window.page is not None and not window.jobs.busy)
    go.clear()
    emg = measured.settings.emg
    for channels in ({"EMG 9": "left tibialis anterior"}, {"EMG 9": "right tibialis anterior"}):
        changed = measured.with_settings(replace(measured.settings, emg=replace(emg, channels=channels)))
        context.document.change("", changed)
    go.set()
    qtbot.waitUntil(lambda: len(window.page.lines) == 3 and not window.jobs.busy)
    assert window.page.lines[-1].channel.side == "right"
    assert seen[-1] is context.document.analysis
    assert len(seen) == 3  # the first, the one that ran when the second change came, and the last


def test_the_chart_of_timing_chooses_a_muscle(qtbot):
    chart = TimingChart()
    qtbot.addWidget(chart)
    rows = [
        TimingAgreement("soleus", "right", ("soleus_r",), ((5.0, 50.0),), ((10.0, 52.0),), 0.9),
        TimingAgreement("soleus", "left", ("soleus_l",), ((5.0, 50.0),), (), 0.5),
    ]
    chart.set_rows(rows)
    chart.resize(500, chart.height())
    chosen = []
    chart.chosen.connect(chosen.append)
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(30, TOP + LINE + 4))
    assert chosen == [("soleus_l",)]
    assert "right soleus 90 %" in chart.accessibleDescription()
    assert not chart.grab().isNull()
