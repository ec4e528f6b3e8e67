"""Draw one small picture with Qt or VTK and say what drew it; `python -m biomec_app.graphics_probe qt|vtk`.

Run it in a process of its own: where the graphics libraries of the system are incomplete, it may crash.
"""

import sys

import numpy as np


def qt_picture() -> tuple[np.ndarray, str]:
    """A window with a red label, grabbed: (height, width, 4) BGRA bytes, and the name of what drew it."""
    from PySide6 import QtCore, QtGui, QtWidgets

    _application = QtWidgets.QApplication.instance() or QtWidgets.QApplication([])  # held while a window is there
    window = QtWidgets.QLabel("Biomec")
    window.setStyleSheet("background: #c02020; color: white")
    window.resize(120, 80)
    window.show()
    image = window.grab().toImage().convertToFormat(QtGui.QImage.Format.Format_ARGB32)
    pixels = np.array(image.constBits(), dtype=np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    window.close()
    return pixels, f"Qt {QtCore.qVersion()} on the platform {QtGui.QGuiApplication.platformName()}"


def vtk_picture() -> tuple[np.ndarray, str]:
    """A lit sphere on black, rendered off the screen: (height, width, 3) RGB bytes, and the name of what drew it."""
    import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  registers the renderer
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkUnsignedCharArray, vtkVersion
    from vtkmodules.vtkFiltersSources import vtkSphereSource
    from vtkmodules.vtkRenderingCore import vtkActor, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow

    sphere, mapper, actor, renderer, window = (
        vtkSphereSource(),
        vtkPolyDataMapper(),
        vtkActor(),
        vtkRenderer(),
        vtkRenderWindow(),
    )
    mapper.SetInputConnection(sphere.GetOutputPort())
    actor.SetMapper(mapper)
    renderer.AddActor(actor)
    window.SetOffScreenRendering(True)
    window.SetSize(120, 80)
    window.AddRenderer(renderer)
    window.Render()
    buffer = vtkUnsignedCharArray()
    window.GetPixelData(0, 0, 119, 79, 0, buffer, 0)
    pixels = vtk_to_numpy(buffer).reshape(80, 120, 3).copy()
    drawn_by = f"VTK {vtkVersion.GetVTKVersion()} with {window.GetClassName()}"
    window.Finalize()
    return pixels, drawn_by


PICTURES = {"qt": qt_picture, "vtk": vtk_picture}


def main(name: str) -> int:
    """Draw the picture called `name`; 0 when there is something on it."""
    pixels, drawn_by = PICTURES[name]()
    if np.ptp(pixels[..., :3]) == 0:
        print(f"{drawn_by} gave an empty picture", file=sys.stderr)
        return 1
    print(drawn_by)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
