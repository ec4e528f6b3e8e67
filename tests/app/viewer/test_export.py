"""Pictures and movies in files: sizes, lengths, cancelling, and what is said where they cannot be made."""

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("PySide6", reason="the desktop part is not installed")
pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from PIL import Image
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from biomec.base.errors import BiomecError
from biomec.base.progress import Cancelled
from biomec_app.dialogs.movie import MovieDialog
from biomec_app.kit.theme import LIGHT
from biomec_app.session.camera import Camera
from biomec_app.session.view_options import View
from biomec_app.shell.actions import visualize
from biomec_app.viewer import export
from biomec_app.viewer.export import Shot, movie_frames, save_movie, save_picture
from biomec_app.viewer.view import BodyView

MUSCLES = {"visualize.show.muscles", "visualize.show.wrap-surfaces", "visualize.show.contact-forces"}
ORTHOSES = {"visualize.show.cuff-forces", "visualize.show.misalignment"}


@pytest.fixture
def shot(qapp, demo_analysis):
    from biomec_app.viewer.scene import Scene

    scene = Scene(demo_analysis, LIGHT)
    camera = Camera(heading=scene.poses.heading())
    camera.fit(scene.body_points(), 320 / 180)
    return Shot(demo_analysis, LIGHT, View(), camera, (320, 180), (100, 200))


def test_a_picture_has_the_size_that_was_asked_for_and_shows_the_person(shot, tmp_path):
    path = save_picture(shot, tmp_path / "one.png")
    with Image.open(path) as saved:
        image = np.asarray(saved.convert("RGB")).astype(int)
    assert image.shape == (180, 320, 3)
    assert (np.abs(image - image[60, 0]).max(axis=2) > 30).mean() > 0.05


def test_frames_of_a_movie_play_at_the_speed_of_the_recording():
    frames = movie_frames(0, 1000, 100.0, 20.0, 1.0)
    assert frames[0] == 0
    assert set(np.diff(frames)) == {5}
    assert len(frames) == 201  # ten seconds at twenty pictures a second, and both ends
    assert len(movie_frames(0, 1000, 100.0, 20.0, 0.5)) == 401
    assert list(movie_frames(7, 7, 100.0, 20.0, 1.0)) == [7]
    assert movie_frames(10, 95, 90.0, 30.0, 1.0).max() <= 95


def test_a_gif_has_a_picture_for_every_twentieth_of_a_second(shot, tmp_path, demo_analysis):
    seen = []
    path = save_movie(shot, tmp_path / "move.gif", seen.append)
    with Image.open(path) as movie:
        assert movie.size == (320, 180)
        assert movie.n_frames == len(movie_frames(100, 200, demo_analysis.signals.trial.rate_hz, 20.0, 1.0))
        assert movie.info["duration"] == 50
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_a_cancelled_movie_leaves_nothing_behind(shot, tmp_path):
    def cancel(fraction):
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        save_movie(shot, tmp_path / "move.gif", cancel)
    assert list(tmp_path.iterdir()) == []


def test_without_an_encoder_mp4_says_what_to_do(shot, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "encoder", lambda: None)
    with pytest.raises(BiomecError, match=r"needs the program ffmpeg.*ends with \.gif"):
        save_movie(shot, tmp_path / "move.mp4")
    with pytest.raises(BiomecError, match=r"\.gif or \.mp4"):
        save_movie(shot, tmp_path / "move.avi")


def test_an_encoder_gets_every_picture(shot, tmp_path, monkeypatch, demo_analysis):
    """A stand-in for ffmpeg that writes what it is given: raw pictures, three bytes a pixel."""
    program = tmp_path / "encoder"
    program.write_text('#!/bin/sh\nfor last; do :; done\ncat > "$last"\n')
    program.chmod(0o755)
    monkeypatch.setattr(export, "encoder", lambda: str(program))
    path = save_movie(shot, tmp_path / "move.mp4")
    count = len(movie_frames(100, 200, demo_analysis.signals.trial.rate_hz, 30.0, 1.0))
    assert path.stat().st_size == count * 320 * 180 * 3


def test_an_encoder_that_fails_is_quoted(shot, tmp_path, monkeypatch):
    program = tmp_path / "encoder"
    program.write_text("#!/bin/sh\ncat > /dev/null\necho unknown codec >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(export, "encoder", lambda: str(program))
    with pytest.raises(BiomecError, match="unknown codec"):
        save_movie(shot, tmp_path / "move.mp4")
    assert not (tmp_path / "move.mp4").exists()


# ------------------------------------------------------------------------------------------------------------- the menu
@pytest.fixture
def window(context, demo_analysis, qtbot):
    view = BodyView(context)
    qtbot.addWidget(view)
    view.resize(400, 300)
    context.document.open(demo_analysis)
    yield context
    view.release()


def item(key):
    return next(action for action in visualize.actions() if action.key == key)


def test_save_picture_asks_for_size_and_file_and_works_in_the_background(window, tmp_path, qtbot):
    window.user.confirm = lambda title, question, choices: "1920 × 1080"
    window.user.ask_file = lambda title, pattern, save, start: tmp_path / "figure"
    with qtbot.waitSignal(window.jobs.finished, timeout=60000):
        item("visualize.picture").run(window)
    with Image.open(tmp_path / "figure.png") as image:
        assert image.size == (1920, 1080)


@pytest.fixture
def dialog(window, qtbot):
    """The dialog of a movie, as the menu opens it, within the first cycle."""
    window.document.set_frame(first_cycle(window)[0] + 5)
    window.window = QWidget()
    qtbot.addWidget(window.window)
    item("visualize.movie").run(window)
    return window.window.findChild(MovieDialog)


def first_cycle(window):
    first, last = next(iter(window.document.analysis.cycles.groups.values())).spans[0]
    return int(first), int(last)


def test_save_movie_offers_all_parts_speeds_and_sizes(window, dialog, tmp_path, monkeypatch):
    """There was no free range, and no speed."""
    parts = [dialog.part.itemText(k) for k in range(dialog.part.count())]
    assert parts[:2] == ["Whole recording", "Cycle 1 (current)"]
    assert parts[-1] == "Frames"
    assert dialog.frames == (0, window.document.frames - 1)
    dialog.part.setCurrentText("Cycle 1 (current)")
    dialog.part.activated.emit(1)
    assert dialog.frames == first_cycle(window)
    dialog.first.setValue(101)
    dialog.last.setValue(301)
    assert dialog.part.currentText() == "Frames"
    assert dialog.frames == (100, 300)
    dialog.speed.setCurrentText("0.5×")
    dialog.speed.activated.emit(dialog.speed.currentIndex())
    assert dialog.words.text().startswith("2.00 s of the recording; the movie lasts 4.0 s.")
    dialog.size_.setCurrentText("640 × 360")
    dialog.last.setValue(50)
    assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Save).isEnabled()
    dialog.last.setValue(301)
    saved = []
    monkeypatch.setattr(export, "save_movie", lambda shot, path, progress: saved.append((shot, path.name)))
    window.user.ask_file = lambda title, pattern, save, start: tmp_path / "move.gif"
    dialog.accept()
    window.jobs.wait(600.0)
    ((shot, name),) = saved
    assert (shot.frames, shot.speed, shot.size, name) == ((100, 300), 0.5, (640, 360), "move.gif")


def test_what_the_plots_show_can_be_a_movie(window, qtbot):
    class Plots:
        window_s = (1.0, 2.5)

    window.figure = Plots()
    made = MovieDialog(window)
    qtbot.addWidget(made)
    assert made.part.itemData(made.part.findText("What the plots show")) == (100, 250)


def test_a_movie_is_cancelled_and_leaves_nothing_behind(window, dialog, tmp_path, qtbot):
    window.user.ask_file = lambda title, pattern, save, start: tmp_path / "move.gif"
    dialog.accept()
    assert item("visualize.movie").blocked(window) == '"Save Movie" is running.'
    window.jobs.cancel()
    with qtbot.waitSignal(window.jobs.cancelled, timeout=60000):
        pass
    assert list(tmp_path.glob("*.gif")) == []


@pytest.mark.parametrize(("program", "start", "pattern"), [
    (None, "movement.gif", "Animated picture (*.gif)"),
    ("ffmpeg", "movement.mp4", "Movie (*.mp4);;Animated picture (*.gif)"),
])  # fmt: skip
def test_only_movies_that_can_be_written_are_offered(window, tmp_path, monkeypatch, qtbot, program, start, pattern):
    """Without an encoder that is said before a name is asked for, and a name with .mp4 becomes one of a GIF."""
    monkeypatch.setattr(export, "encoder", lambda: program)
    asked, saved = [], []
    window.user.ask_file = lambda title, pattern, save, start: asked.append((start, pattern)) or tmp_path / "walk.mp4"
    monkeypatch.setattr(export, "save_movie", lambda shot, path, progress: saved.append(path.name))
    made = MovieDialog(window)
    qtbot.addWidget(made)
    assert ("ffmpeg" in made.words.text()) == (program is None)
    made.accept()
    window.jobs.wait(600.0)
    assert asked == [(start, pattern)]
    assert saved == ["walk.mp4" if program else "walk.gif"]


def test_mp4_is_written_by_the_program_that_comes_with_the_desktop_part(shot, tmp_path):
    """MP4 was there only where ffmpeg happened to be installed."""
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="the desktop part is not installed")
    assert export.encoder() == imageio_ffmpeg.get_ffmpeg_exe()
    path = save_movie(replace(shot, speed=0.5), tmp_path / "move.mp4")
    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert count == len(movie_frames(100, 200, 100.0, 30.0, 0.5))
    assert seconds == pytest.approx(2.0, abs=0.1)  # a second of the recording at half its speed


def test_without_the_program_in_the_package_that_of_the_computer_is_taken(monkeypatch):
    imageio_ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="the desktop part is not installed")

    def missing() -> str:
        raise RuntimeError("No ffmpeg exe could be found.")

    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", missing)
    monkeypatch.setattr(export.shutil, "which", lambda name: f"/usr/bin/{name}")
    assert export.encoder() == "/usr/bin/ffmpeg"


def test_declining_saves_nothing(window, tmp_path):
    item("visualize.picture").run(window)
    item("visualize.movie").run(window)
    assert not window.jobs.busy


def test_every_item_of_the_menu_changes_what_it_says(window):
    document = window.document
    for action in visualize.actions():
        if action.run is None or action.checked is None:
            continue
        if action.menu == visualize.PANEL:  # there is no window around
            continue
        if action.key.startswith("visualize.dynamic.simulated"):  # the recording has no simulations
            assert "no simulations yet" in action.blocked(window)
            continue
        if action.key in MUSCLES:  # the recording was analysed without them
            assert action.blocked(window) == 'Run "Muscle Forces" first.'
            continue
        if action.key in ORTHOSES:  # the person wears none
            assert action.blocked(window).startswith("The person wears no orthosis with cuffs.")
            continue
        assert action.blocked(window) is None, action.key
        before = action.checked(window)
        action.run(window)
        toggles = action.menu in (visualize.SHOW, visualize.MEASURE) or action.key == "visualize.follow"
        assert action.checked(window) == (not before if toggles else True), action.key
    assert document.view.static is False


def test_items_say_why_they_cannot_run(context, demo_analysis):
    from biomec.pipeline.analysis import Analysis

    assert item("visualize.dynamic.raw").blocked(context) == "Open or import a recording first."
    context.document.open(Analysis(demo_analysis.session))
    assert "Body Model" in item("visualize.static.whole").blocked(context)
    assert "Consistent Positions" in item("visualize.dynamic.both").blocked(context)
    assert item("visualize.show.local-frames").blocked(context) == "Load the biomechanical model first."
    assert item("visualize.show.anatomical-points").blocked(context) is None
    assert "simulations" in item("visualize.dynamic.simulated").blocked(context)
    assert "Muscle Forces" in item("visualize.show.muscles").blocked(context)


def test_keys_and_shortcuts_are_unique():
    from biomec_app.shell.actions import all_actions

    keys = [action.key for action in all_actions() if action.run is not None]
    assert len(set(keys)) == len(keys)
    shortcuts = [action.shortcut for action in all_actions() if action.shortcut]
    assert len(set(shortcuts)) == len(shortcuts)
