"""Pixels of a scene, drawn off the screen."""

from __future__ import annotations

import os
import sys

import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkRenderingCore import vtkRenderWindow

from biomec_app.viewer.camera import Camera
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
        self._scene: Scene | None = None
        self._buffer = vtkUnsignedCharArray()

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

    def pixels(self, camera: Camera, size: tuple[int, int]) -> np.ndarray:
        """(height, width, 4) bytes of the picture, its **lowest** row first; valid until the next call."""
        assert self._scene is not None
        self._scene.light(camera.basis)
        camera.apply(self._scene.renderer.GetActiveCamera())
        self._window.SetSize(*size)
        self._window.Render()
        self._window.GetRGBACharPixelData(0, 0, size[0] - 1, size[1] - 1, 0, self._buffer, 0)
        return np.asarray(vtk_to_numpy(self._buffer)).reshape(size[1], size[0], 4)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Free what the graphics library holds."""
        self.show(None)
        self._window.Finalize()


def picture(scene: Scene, camera: Camera, size: tuple[int, int], canvas: Canvas | None = None) -> np.ndarray:
    """(height, width, 3) bytes, the highest row first, with smooth edges: drawn at twice the size."""
    own = canvas or Canvas()
    own.show(scene)
    large = own.pixels(camera, (2 * size[0], 2 * size[1]))
    four = large[::-1].reshape(size[1], 2, size[0], 2, 4)[..., :3].astype(np.uint16)
    mean = four[:, 0, :, 0] + four[:, 0, :, 1] + four[:, 1, :, 0] + four[:, 1, :, 1]
    if canvas is None:
        own.close()
    return ((mean + 2) // 4).astype(np.uint8)
