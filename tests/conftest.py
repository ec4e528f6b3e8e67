"""Settings for every test: no screen, one thread for each numerical library, one language."""

import os

# Before NumPy, Qt and VTK are imported. What the caller has set wins, so that tests can also run on a real screen.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("VTK_DEFAULT_OPENGL_WINDOW", "vtkEGLRenderWindow")
os.environ.setdefault("LC_ALL", "C.UTF-8")
