"""Pixels of a scene, drawn off the screen."""

from __future__ import annotations

import os
import sys

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkRenderingCore import vtkCamera, vtkRenderWindow

from biomec_app.session.camera import VIEW_ANGLE, Camera
from biomec_app.viewer.scene import Scene


class Canvas:
    """An off-screen window of VTK. Use and close it in the thread that made it."""

    def __init__(self) -> None:
        if sys.platform.startswith("linux") and "DISPLAY" not in os.environ:
            os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
        self._window = vtkRenderWindow()
        self._window.SetOffScreenRendering(True)
        self._window.SetShowWindow(False)
        self._window.SetMultiSamples(0)
        self._window.SwapBuffersOff()  # nobody looks at it, and it would wait for the picture to be drawn
        self._scene: Scene | None = None
        self._buffer = vtkUnsignedCharArray()

    def prepare(self) -> None:
        """Load the graphics library and its context, which the first picture would wait for."""
        self._window.SetSize(8, 8)
        self._window.Render()

    def show(self, scene: Scene | None) -> None:
        """Draw this scene from now on."""
        if scene is self._scene:
            return
        if self._scene is not None:
            self._window.RemoveRenderer(self._scene.renderer)
            self._scene.renderer.ReleaseGraphicsResources(self._window)
        self._scene = scene
        if scene is not None:
            self._window.AddRenderer(scene.renderer)

    def draw(
        self, camera: Camera, size: tuple[int, int], band: tuple[int, int] | None = None, quick: bool = False
    ) -> None:
        """Begin to draw a picture of some width and height; `drawn` waits for it, other work can be done before.

        band  : draw only these rows, first and behind the last one, counted from the top
        quick : for a picture of something that moves: less exact where that is hardly seen
        """
        assert self._scene is not None
        first, last = band or (0, size[1])
        self._scene.prepare(camera.basis, quick)
        aim(self._scene.renderer.GetActiveCamera(), camera, (first / size[1], last / size[1]))
        self._window.SetSize(size[0], last - first)
        self._window.Render()

    def drawn(self) -> np.ndarray:
        """(height, width, 4) bytes of the picture, its **lowest** row first; valid until the next call."""
        width, rows = self._window.GetSize()
        self._window.GetRGBACharPixelData(0, 0, width - 1, rows - 1, 0, self._buffer, 0)
        return np.asarray(vtk_to_numpy(self._buffer)).reshape(rows, width, 4)

    def pixels(self, camera: Camera, size: tuple[int, int], band: tuple[int, int] | None = None) -> np.ndarray:
        """Draw a picture and wait for it: see `draw` and `drawn`."""
        self.draw(camera, size, band)
        return self.drawn()

    def close(self) -> None:
        """Free what the graphics library holds."""
        self.show(None)
        self._window.Finalize()


def averaged(pixels: np.ndarray, k: int) -> np.ndarray:
    """Mean of k × k pixels (k h, k w, c) each: (h, w, c) bytes; k is 1 or 2."""
    if k == 1:
        return pixels
    total = np.add(pixels[::2], pixels[1::2], dtype=np.uint16)
    total = total[:, ::2] + total[:, 1::2]
    total += 2
    total >>= 2
    return np.asarray(total.astype(np.uint8))


def picture(scene: Scene, camera: Camera, size: tuple[int, int], canvas: Canvas | None = None) -> np.ndarray:
    """(height, width, 3) bytes, the highest row first, with smooth edges: drawn at twice the size."""
    own = canvas or Canvas()
    own.show(scene)
    fine = averaged(own.pixels(camera, (2 * size[0], 2 * size[1]))[::-1, :, :3], 2)
    if canvas is None:
        own.close()
    return fine


def aim(seen_by: vtkCamera, camera: Camera, band: tuple[float, float] = (0.0, 1.0)) -> None:
    """Let a camera of VTK see what ours sees; band: upper and lower end of it, as parts of the picture's height.

    With t = tan(θ/2) of the view angle θ, a band from a to b reaches over (b − a) t, and its middle lies
    (1 − a − b) t above that of the picture.
    """
    a, b = band
    seen_by.SetPosition(*camera.eye)
    seen_by.SetFocalPoint(*camera.target)
    seen_by.SetViewUp(*camera.basis[1])
    seen_by.SetViewAngle(2.0 * np.rad2deg(np.arctan((b - a) * np.tan(np.deg2rad(0.5 * VIEW_ANGLE)))))
    seen_by.SetWindowCenter(0.0, (1.0 - a - b) / (b - a))
    seen_by.SetClippingRange(max(0.02, camera.distance - 25.0), camera.distance + 30.0)
