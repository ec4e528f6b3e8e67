"""Qt and VTK draw without a screen, and a system where they cannot is told so instead of crashing."""

import numpy as np
import pytest

from biomec.doctor import probe

pytest.importorskip("PySide6", reason="the desktop part is not installed")
pytest.importorskip("vtkmodules", reason="the desktop part is not installed")


@pytest.fixture
def drawing_works(request):
    """Nothing is drawn in this process before another one has survived it."""
    answer = probe(request.param)
    assert answer.works, f"{answer.seen}. {answer.remedy}"


@pytest.mark.parametrize("drawing_works", ["qt"], indirect=True)
def test_qt_grabs_a_window(drawing_works, qapp):
    from biomec_app.graphics_probe import qt_picture

    pixels, drawn_by = qt_picture()
    assert qapp.platformName() in drawn_by
    assert pixels.shape == (80, 120, 4)
    np.testing.assert_array_equal(
        pixels[0, 0], (0x20, 0x20, 0xC0, 0xFF)
    )  # the red background, as blue, green, red, alpha
    assert (pixels[..., :3].min(-1) > 200).sum() > 20  # the white letters


@pytest.mark.parametrize("drawing_works", ["vtk"], indirect=True)
def test_vtk_renders_a_sphere(drawing_works):
    from biomec_app.graphics_probe import vtk_picture

    pixels, _ = vtk_picture()
    assert pixels.shape == (80, 120, 3)
    assert pixels[40, 60].min() > 200  # lit from the camera
    assert pixels[0, 0].max() == 0  # black around it


def test_a_program_that_dies_is_reported(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "no-such-platform")  # Qt aborts the process
    answer = probe("qt")
    assert not answer.works
    assert "signal" in answer.seen
    assert "nstall" in answer.remedy  # a command, or the advice to install anew


def test_a_program_that_hangs_is_reported():
    answer = probe("qt", limit_s=0.01)
    assert not answer.works
    assert "no picture after" in answer.seen
