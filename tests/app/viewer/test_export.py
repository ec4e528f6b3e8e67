"""Pictures and movies in files: sizes, lengths, cancelling, and what is said where they cannot be made."""

import numpy as np
import pytest

pytest.importorskip("PySide6", reason="the desktop part is not installed")
pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from PIL import Image

from biomec.errors import BiomecError
from biomec.progress import Cancelled
from biomec_app.actions import visualize
from biomec_app.theme import LIGHT
from biomec_app.view_options import View
from biomec_app.viewer import export
from biomec_app.viewer.camera import Camera
from biomec_app.viewer.export import Shot, movie_frames, save_movie, save_picture
from biomec_app.viewer.view import BodyView


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
        assert movie.n_frames == len(movie_frames(100, 200, demo_analysis.clean.trial.rate_hz, 20.0, 1.0))
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
    count = len(movie_frames(100, 200, demo_analysis.clean.trial.rate_hz, 30.0, 1.0))
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
    window.confirm = lambda title, question, choices: "1920 × 1080"
    window.ask_file = lambda title, pattern, save, start: tmp_path / "figure"
    with qtbot.waitSignal(window.jobs.finished, timeout=60000):
        item("visualize.picture").run(window)
    with Image.open(tmp_path / "figure.png") as image:
        assert image.size == (1920, 1080)


def test_save_movie_offers_the_current_cycle(window, tmp_path, qtbot):
    asked = []

    def choose(title, question, choices):
        asked.append(choices)
        return choices[0] if "640 × 360" in choices else "Current cycle"

    span = next(iter(window.document.analysis.repetitions.cycles.values())).spans[0]
    window.document.set_frame(int(span[0]) + 5)
    window.confirm = choose
    window.ask_file = lambda title, pattern, save, start: tmp_path / "move.gif"
    item("visualize.movie").run(window)
    assert item("visualize.movie").blocked(window) == '"Save movie" is running.'
    window.jobs.cancel()
    with qtbot.waitSignal(window.jobs.cancelled, timeout=60000):
        pass
    assert ("Whole recording", "Current cycle") in asked
    assert list(tmp_path.glob("*.gif")) == []


@pytest.mark.parametrize(("program", "start", "pattern"), [
    (None, "movement.gif", "Animated picture (*.gif)"),
    ("ffmpeg", "movement.mp4", "Movie (*.mp4);;Animated picture (*.gif)"),
])  # fmt: skip
def test_only_movies_that_can_be_written_are_offered(window, tmp_path, monkeypatch, program, start, pattern):
    """Without an encoder that is said before a name is asked for, and a name with .mp4 becomes one of a GIF."""
    monkeypatch.setattr(export, "encoder", lambda: program)
    told, asked, saved = [], [], []
    window.confirm = lambda title, question, choices: told.append(question) or choices[0]
    window.ask_file = lambda title, pattern, save, start: asked.append((start, pattern)) or tmp_path / "walk.mp4"
    monkeypatch.setattr(export, "save_movie", lambda shot, path, progress: saved.append(path.name))
    item("visualize.movie").run(window)
    window.jobs.wait(30.0)
    assert asked == [(start, pattern)]
    assert ("ffmpeg" in " ".join(told)) == (program is None)
    assert saved == ["walk.mp4" if program else "walk.gif"]


def test_declining_saves_nothing(window, tmp_path):
    item("visualize.picture").run(window)
    item("visualize.movie").run(window)
    assert not window.jobs.busy


def test_every_item_of_the_menu_changes_what_it_says(window):
    document = window.document
    for action in visualize.actions():
        if action.run is None or action.checked is None:
            continue
        if action.key.startswith("visualize.dynamic.simulated"):  # the recording has no simulations
            assert "no simulations yet" in action.blocked(window)
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
    assert "Load Biomechanical Model" in item("visualize.static.whole").blocked(context)
    assert "Kinematic Consistency" in item("visualize.dynamic.both").blocked(context)
    assert item("visualize.show.local-frames").blocked(context) == "Load the biomechanical model first."
    assert item("visualize.show.anatomical-points").blocked(context) is None
    assert "simulations" in item("visualize.dynamic.simulated").blocked(context)
    assert "muscles" in item("visualize.show.muscles").blocked(context)


def test_keys_and_shortcuts_are_unique():
    from biomec_app.actions import all_actions

    keys = [action.key for action in all_actions() if action.run is not None]
    assert len(set(keys)) == len(keys)
    shortcuts = [action.shortcut for action in all_actions() if action.shortcut]
    assert len(set(shortcuts)) == len(shortcuts)
