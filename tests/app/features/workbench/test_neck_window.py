"""Head and neck in the workbench: drawn as the model says, hit where it is clicked, and mapped after being stopped."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from biomec.base.errors import BiomecError
from biomec.machines.head_neck.study import STUDY as IMPACT
from biomec.machines.head_neck.sweep_study import STUDY as SWEEP
from biomec_app.features.workbench import neck_map, study_panel
from biomec_app.features.workbench.draft import catalogued
from biomec_app.features.workbench.neck_drawing import LIGAMENTS, NeckDrawing
from biomec_app.features.workbench.neck_solids import CRANIUM, FACE, of_run
from biomec_app.features.workbench.player import SLOW
from biomec_app.features.workbench.window import open_workbench
from biomec_app.kit.theme import DARK, LIGHT
from tests.app.features.workbench.conftest import Student

QUICK = {"duration_s": 0.002, "method": "Runge-Kutta", "step_s": 2e-5}


@pytest.fixture
def clinic(qtbot, context, monkeypatch):
    """Somebody at the workbench with the head and neck."""
    monkeypatch.setattr(study_panel, "studies", lambda: (IMPACT, SWEEP))
    made = Student(qtbot, context, open_workbench(context, catalogued("head-neck")))
    made.idle()
    yield made
    made.answer = "Don't save"
    if not made.window._closed:
        made.window.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_blow_is_picked_run_and_seen_in_slow_motion(clinic, tmp_path):
    window = clinic.window
    drawing = window.stage.drawing
    assert isinstance(drawing, NeckDrawing)
    assert len(drawing.solids.time_s) == 1  # the pose before any run
    place = QPoint(window.stage.width() // 2, window.stage.height() // 4)
    QTest.mouseClick(window.stage, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    options = window.studies.form.options()
    direction = np.array([options.direction_x, options.direction_y, options.direction_z])
    assert np.linalg.norm(direction) == pytest.approx(1.0, abs=1e-3)  # written with four digits
    assert direction @ drawing.towards_eye < 0.0  # the face that is seen is hit
    assert drawing.asked is not None
    QTest.mouseClick(window.stage, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, place)
    options = window.studies.form.options()
    along = np.array([options.direction_x, options.direction_y, options.direction_z])
    assert np.allclose(along, -drawing.towards_eye, atol=1e-4)

    clinic.run(IMPACT.key, **QUICK)
    (kept,) = clinic.bench.runs
    solids = drawing.solids
    assert kept.run.succeeded
    assert len(solids.time_s) == len(kept.run.time_s) == 21
    assert float(window.player.speed.itemData(0)) == SLOW[0]
    clinic.bench.set_time(0.000123)
    assert window.player.told.text() == "0.123 ms"
    # ligaments are as long as the strain of the run says, though the drawing only knows points and poses
    lengths = np.array(
        [np.linalg.norm(np.diff(solids.at(t).ligaments, axis=1)[:, 0], axis=1) for t in solids.time_s[[0, 5, 20]]]
    )
    strain = solids.strain[[0, 5, 20]]
    # printed to double precision in poses of metres: 1e-15 over the shortest ligament of 9 mm
    assert np.allclose(lengths / lengths[0] * (1.0 + strain[0]), 1.0 + strain, atol=1e-9)
    assert np.abs(solids.at(0.00015).p - 0.5 * (solids.p[1] + solids.p[2])).max() < 1e-12  # halfway between states
    groups = {one.group for one in kept.run.curves}
    assert {"Flexion or extension, of its limit", "Ligament strain, of its limit", "Contact force"} <= groups

    for theme in (LIGHT, DARK):
        window.set_theme(theme)
        image = window.stage.grab().toImage()
        colours = {
            image.pixelColor(x, y).name() for x in range(0, image.width(), 7) for y in range(0, image.height(), 7)
        }
        assert len(colours) > 20  # shaded solids and scales, not a blank
    clinic.item("neck-ligaments").trigger()
    assert drawing.hidden == {LIGAMENTS}
    clinic.item("neck-force").trigger()
    assert drawing.colours == "force"
    lost = replace(kept.run, options=replace(kept.run.options, folder=str(tmp_path / "gone")))
    window.neck.follow(kept.run.machine, lost)
    assert not window.neck.is_shown
    assert "there is no such folder" in window.statusBar().currentMessage()
    changed = replace(kept.run, curves=kept.run.curves[:9])
    with pytest.raises(BiomecError, match="changed since"):
        of_run(changed)
    window.neck.follow(kept.run.machine, kept.run)
    assert window.neck.is_shown
    window.open_catalogued("pendulum")
    clinic.idle()
    assert not isinstance(window.stage.drawing, NeckDrawing)
    assert not window.results.isTabVisible(3)


@pytest.mark.parametrize("side", ["right", "front", "above"])
def test_a_click_meets_the_head_under_it(clinic, side):
    clinic.item(f"neck-{side}").trigger()
    drawing = clinic.window.stage.drawing
    hits = 0
    for x in np.linspace(0.1, 0.9, 9) * drawing.size[0]:
        for y in np.linspace(0.1, 0.9, 9) * drawing.size[1]:
            touched = drawing.surface_at(QPointF(x, y))
            if touched is None:
                continue
            hits += 1
            solids, com = drawing.solids, drawing.solids.model.head_com
            (there,) = drawing.places((solids.p[0, -1] + solids.R[0, -1] @ (com + touched.point))[None])
            assert (there - QPointF(x, y)).manhattanLength() < 1e-6  # seen where it was clicked, to rounding
            size = [
                np.sum(((touched.point - 1e-3 * np.array(m)) / (1e-3 * np.array(h))) ** 2) for m, h in (CRANIUM, FACE)
            ]
            assert min(abs(one - 1.0) for one in size) < 1e-9  # on one of the ellipsoids
            assert touched.normal @ drawing.towards_eye > 0.0
    assert hits > 5


def test_many_blows_are_mapped_and_go_on(clinic, tmp_path):
    window = clinic.window
    window.studies.give(SWEEP.key, {**QUICK, "duration_s": 0.001, "every_s": 1e-3, "finer": 0})
    window.studies.run()
    window.studies.cancel()
    clinic.idle()
    assert window.studies.told.text().endswith("run it again, and it goes on where it was.")
    assert not clinic.bench.runs
    clinic.run(SWEEP.key)
    assert window.results.currentWidget() is window.risks
    assert window.risks.table.rowCount() == 12
    assert clinic.bench.runs[0].run.options.kept == ""  # where rows are kept meanwhile is no option of the run
    (file,) = Path(window.studies._rows.path()).iterdir()
    content = json.loads(file.read_text(encoding="utf-8"))
    content["rows"] = content["rows"][:11]  # as if it had been cancelled before the last
    content["rows"][0]["figures"]["hic15"] = 12345.0
    file.write_text(json.dumps(content), encoding="utf-8")
    clinic.run(SWEEP.key)
    assert window.risks.content.values["hic15"].max() == 12345.0  # what was known was not computed again
    assert np.isfinite(window.risks.content.values["hic15"]).all()
    assert [len(line.split("\t")) for line in window.risks.text.splitlines()] == [14] * 13
    left, bottom, wide, high = neck_map.place((500, 300))
    side = neck_map.side_at((left + 0.5 * wide) * 500, (1.0 - bottom - 0.5 * high) * 300, (500, 300))
    assert np.allclose(side, [1.0, 0.0, 0.0], atol=1e-9)  # the middle of the map is the front
    window.risks.side_asked.emit(side)
    options = window.studies.form.options()
    assert (options.point_x_mm, options.point_z_mm) == (100.0, 20.0)  # of the sphere that stands for a helmet
    assert options.direction_x == -1.0
    target = tmp_path / "map.svg"
    clinic.context.user.ask_file = lambda *_: target
    clinic.item("map").trigger()
    clinic.idle()
    assert "Risk of AIS 2" in target.read_text(encoding="utf-8")
