"""Pictures and movies of the 3-D view, in files. They draw a scene of their own, so that they can be made in the
background.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from math import ceil
from pathlib import Path

import numpy as np
from PIL import Image
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from biomec.base.atomic import atomic_path
from biomec.base.errors import BiomecError, FileError
from biomec.base.progress import Progress
from biomec.pipeline.analysis import Analysis
from biomec_app.kit.theme import Theme
from biomec_app.session.camera import Camera
from biomec_app.session.view_options import View
from biomec_app.viewer.annotations import Annotations, SceneWords
from biomec_app.viewer.canvas import Canvas, picture
from biomec_app.viewer.legend import draw_strip
from biomec_app.viewer.scene import Scene

GIF_RATE, MP4_RATE = 20.0, 30.0  # pictures a second
NO_ENCODER = (
    "It is saved as an animated picture (GIF). For a movie file (MP4), Biomec needs the program ffmpeg, which comes "
    "with the package imageio-ffmpeg and is not on this computer."
)


@dataclass(frozen=True, eq=False)
class Shot:
    """What is to be drawn.

    frames : first and last frame (from 0) of a movie; the first one of a picture
    speed  : 1 for the speed of the recording
    """

    analysis: Analysis
    theme: Theme
    view: View
    camera: Camera
    size: tuple[int, int]
    frames: tuple[int, int]
    speed: float = 1.0


def draw_picture(
    scene: Scene, camera: Camera, size: tuple[int, int], theme: Theme, canvas: Canvas | None = None,
    words: SceneWords | None = None,
) -> QImage:  # fmt: skip
    """The scene with its words and its legend below, of any size; words are as large as in a window of 720 lines."""
    image = QImage(*size, QImage.Format.Format_RGB32)
    scale = max(1.0, size[1] / 720.0)
    painter = QPainter(image)
    painter.scale(scale, scale)
    strip = draw_strip(painter, scene.legend(), (size[0] / scale, size[1] / scale), theme)
    height = size[1] - ceil(strip * scale)
    pixels = np.ascontiguousarray(picture(scene, camera, (size[0], height), canvas))
    seen = QImage(pixels.data, size[0], height, 3 * size[0], QImage.Format.Format_RGB888)
    painter.resetTransform()
    painter.drawImage(0, 0, seen)
    painter.scale(scale, scale)
    painter.setClipRect(QRectF(0.0, 0.0, size[0] / scale, height / scale))
    Annotations(painter, scene, camera, (size[0] / scale, height / scale), theme, words).draw()
    painter.end()
    return image


def save_picture(shot: Shot, path: Path, progress: Progress | None = None) -> Path:
    """Save one frame as PNG."""
    scene = Scene(shot.analysis, shot.theme, shot.view)
    scene.update(shot.frames[0])
    if progress is not None:
        progress(0.2)
    image = draw_picture(scene, shot.camera.copy(), shot.size, shot.theme)
    with atomic_path(path) as temporary:
        if not image.save(str(temporary), "PNG"):  # type: ignore[call-overload]  # the stub asks for bytes, Qt for text
            raise FileError(str(path), "the picture cannot be written there.")
    return path


def save_movie(shot: Shot, path: Path, progress: Progress | None = None) -> Path:
    """Save a stretch as GIF or MP4, by the ending of the file's name; nothing is left behind if it is cancelled."""
    kind = path.suffix.lower()
    if kind == ".gif":
        with atomic_path(path) as temporary:
            _write_gif(shot, temporary, progress)
    elif kind == ".mp4":
        program = encoder()
        if program is None:
            raise BiomecError(f"{path.name}: {NO_ENCODER} Choose a name that ends with .gif.")
        with atomic_path(path) as temporary:
            _write_mp4(shot, temporary, program, progress)
    else:
        raise BiomecError(f"{path.name}: movies are saved as .gif or .mp4. Choose one of these endings.")
    return path


def movie_kinds() -> dict[str, str]:
    """Endings of movies that can be written on this computer -> what they are; the best first."""
    kinds = {".gif": "Animated picture"}
    return {".mp4": "Movie", **kinds} if encoder() is not None else kinds


def encoder() -> str | None:
    """The program that makes MP4: the one that is installed with Biomec, or else the computer's own; None without."""
    if importlib.util.find_spec("imageio_ffmpeg") is not None:
        import imageio_ffmpeg

        with suppress(RuntimeError):  # the package without the program in it, as for rare machines
            return str(imageio_ffmpeg.get_ffmpeg_exe())
    return shutil.which("ffmpeg")


def movie_frames(first: int, last: int, rate_hz: float, pictures_hz: float, speed: float) -> np.ndarray:
    """Frames of the recording (from 0) to draw for a movie that plays at ``speed``."""
    count = max(1, int((last - first) / rate_hz / speed * pictures_hz) + 1)
    frames = np.round(first + np.arange(count) * speed * rate_hz / pictures_hz).astype(np.int64)
    return np.asarray(frames[frames <= last])


def _pictures(shot: Shot, pictures_hz: float, progress: Progress | None) -> Iterator[np.ndarray]:
    """(height, width, 3) bytes of every picture."""
    scene = Scene(shot.analysis, shot.theme, shot.view)
    camera = shot.camera.copy()
    frames = movie_frames(*shot.frames, scene.poses.rate_hz, pictures_hz, shot.speed)
    canvas, words = Canvas(), SceneWords()
    middle: np.ndarray | None = None
    try:
        for k, frame in enumerate(frames):
            scene.update(int(frame))
            points = scene.body_points()
            if shot.view.follow and len(points):
                now = points.mean(axis=0) * (1.0, 0.0, 1.0)
                camera.target = camera.target + (now - middle if middle is not None else 0.0)
                middle = now
            image = draw_picture(scene, camera, shot.size, shot.theme, canvas, words)
            image = image.convertToFormat(QImage.Format.Format_RGB888)
            rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
            yield rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()
            if progress is not None:
                progress((k + 1) / len(frames))
    finally:
        canvas.close()


def _write_gif(shot: Shot, path: Path, progress: Progress | None) -> None:
    def paletted() -> Generator[Image.Image]:
        for pixels in _pictures(shot, GIF_RATE, progress):
            yield Image.fromarray(pixels).quantize(128, dither=Image.Dither.NONE)

    images = paletted()
    try:
        next(images).save(
            path, "GIF", save_all=True, append_images=images, duration=round(1000.0 / GIF_RATE), loop=0, optimize=False
        )
    finally:
        images.close()


def _write_mp4(shot: Shot, path: Path, program: str, progress: Progress | None) -> None:
    width, height = shot.size[0] // 2 * 2, shot.size[1] // 2 * 2  # the format needs even numbers
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{shot.size[0]}x{shot.size[1]}", "-r", f"{MP4_RATE:g}"]
    target = ["-vf", f"crop={width}:{height}:0:0", "-pix_fmt", "yuv420p", "-f", "mp4", str(path)]
    command = [program, "-y", "-loglevel", "error", *source, "-i", "-", *target]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            with suppress(BrokenPipeError):  # the encoder gave up; why, it says itself
                for pixels in _pictures(shot, MP4_RATE, progress):
                    process.stdin.write(pixels.tobytes())
                process.stdin.close()
            complaint = process.stderr.read().decode(errors="replace").strip()
            if process.wait() != 0:
                raise FileError(path.name, f"the encoder could not write the movie ({complaint}).")
        except BaseException:
            process.kill()
            raise
