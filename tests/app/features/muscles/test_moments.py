"""Who makes a torque: layers that add up, the page of the panel, curves, and work."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import Qt

from biomec.body.muscles.muscle_work import moment_shares
from biomec_app.curves.catalogue import catalogue
from biomec_app.features.muscles.curves import share_key
from biomec_app.features.muscles.heat_content import CYCLE, TIME
from biomec_app.features.muscles.moment_content import NAMED, OTHERS, moment_page, peak_sentences, stacked, work_rows
from biomec_app.features.muscles.moment_tab import MomentTab
from biomec_app.features.muscles.readings import readings_of

ROW = "right knee flexion"


def test_layers_add_up_to_the_torque_and_pile_up_from_zero(muscle_analysis):
    page = moment_page(muscle_analysis, ROW, TIME)
    readings = readings_of(muscle_analysis)
    usable = readings.usable_row(ROW)
    assert page.layers[NAMED].name == OTHERS
    whole = sum(layer.values for layer in page.layers)
    reserve = readings.shares(ROW).reserve  # too small to have a layer
    np.testing.assert_allclose(whole[usable], (page.total - reserve)[usable], rtol=0, atol=1e-9)
    assert np.isnan(page.total[~usable]).all()
    up, down = stacked(page.layers, True), stacked(page.layers, False)
    np.testing.assert_allclose((up[-1][1] + down[-1][1])[usable], whole[usable], rtol=0, atol=1e-9)
    for below, above in (*pairwise(up), *pairwise(down)):
        np.testing.assert_array_equal(below[1], above[0])


def test_over_the_cycle_the_mean_of_counted_cycles_is_shown(muscle_analysis):
    page = moment_page(muscle_analysis, ROW, CYCLE)
    assert page.x[-1] == 100.0
    assert ("Mean of" in page.note) == page.known


def test_curves_are_the_shares_of_the_library(muscle_analysis):
    curves = {one.key: one for one in catalogue(muscle_analysis)}
    readings = readings_of(muscle_analysis)
    found = moment_shares(muscle_analysis.muscles.model, muscle_analysis.muscles.forces, ROW)
    total = np.zeros(readings.forces.frames)
    for group in readings.row_groups(ROW):
        total = total + curves[share_key(ROW, group)].series()[1]
    np.testing.assert_allclose(total, found.torque.sum(axis=1), rtol=0, atol=1e-9)


def test_who_makes_a_torque_is_said_with_work(muscle_analysis):
    sentences = peak_sentences(muscle_analysis, ROW)
    assert any(one.startswith("Right knee extension: up to ") and "vastus" in one for one in sentences)
    rows = dict(work_rows(muscle_analysis, ROW))
    work = muscle_analysis.muscles.work
    k = muscle_analysis.muscles.forces.index("vas_lat_r")
    assert rows["vastus lateralis"][:2] == pytest.approx((work.given[k], work.taken[k]))
    assert "soleus" not in rows
    done = [values[0] + values[1] for values in rows.values()]
    assert done == sorted(done, reverse=True)


def test_the_page_shows_a_chosen_torque_and_plots_it(qtbot, context, muscle_analysis):
    context.document.open(muscle_analysis)
    tab = MomentTab(context)
    qtbot.addWidget(tab)
    tab.set_analysis(muscle_analysis)
    tab.set_theme(context.theme)
    tab.resize(420, 640)
    tab.show()
    greatest = max(muscle_analysis.muscles.torque_peaks, key=lambda one: one.torque_Nm)
    assert greatest.title in (tab.page.row, tab.page.opposite)
    tab.row.setCurrentIndex(tab.row.findData(ROW))
    tab.row.activated.emit(tab.row.currentIndex())
    assert "Right knee extension" in tab.words.text()
    assert tab.table.rowCount() > 3
    tab.over.setCurrentIndex(tab.over.findData(TIME))
    tab.row.setCurrentIndex(tab.row.findData("left hip flexion"))
    tab.row.activated.emit(tab.row.currentIndex())
    assert tab.page.row == "left hip flexion"
    assert "iliopsoas" in tab.legend.text()
    tab.set_frame(40)
    assert tab.plot._hand.value() == pytest.approx(tab.page.x[40])
    qtbot.mouseClick(tab.curves, Qt.MouseButton.LeftButton)
    assert context.document.selection.curves[0].startswith("muscle share/left hip flexion/")
    assert len(context.document.selection.curves) == NAMED
    assert not tab.grab().isNull()


def test_a_torque_without_known_loads_says_so(muscle_analysis):
    trust = muscle_analysis.loads.trust
    none = {joint: replace(one, usable=np.zeros_like(one.usable)) for joint, one in trust.frames_of.items()}
    loads = replace(muscle_analysis.loads, trust=replace(trust, frames_of=none))
    done = {**muscle_analysis.done, "loads": replace(muscle_analysis.done["loads"], value=loads)}
    page = moment_page(replace(muscle_analysis, done=done), ROW, TIME)
    assert not page.known
    assert page.note == "Blank where the loads of the joint cannot be relied on."
