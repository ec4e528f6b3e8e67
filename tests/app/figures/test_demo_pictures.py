"""Pictures and report of an analysis: they are there, they show something, and they tell everything."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="the desktop part is not installed")
pytest.importorskip("vtkmodules", reason="the desktop part is not installed")

from PIL import Image

from biomec.body.kinematics.consistency_options import ConsistencyOptions
from biomec.doctor import Probe
from biomec.engine.position import PositionOptions
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import analyze
from biomec.pipeline.settings import AnalysisSettings, BodySettings, CycleSettings
from biomec.recording import Session
from biomec.reporting.demo import true_angles
from biomec.virtual import RecordOptions, VirtualPerson, push_up, record
from biomec_app.figures.angles import main_joints
from biomec_app.figures.registry import figure_named
from biomec_app.figures.report import demo_pictures
from biomec_app.figures.report.demo_pictures import draw, draw_figure
from biomec_app.kit.colours import LIGHT
from tests.real_data import recording

PICTURES = ("figure.png", "angles.png", "quality.png")
VOID = {"meta", "img", "br", "hr", "link", "input"}


class Page(HTMLParser):
    """Reads a page: whether its elements close as they should, its text, and everything that it refers to."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.references, self.tags = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.references += [value for name, value in attributes if name in ("src", "href", "action", "data")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.text.append(data)


@pytest.fixture(scope="module")
def acquisition():
    return record(push_up("closed", 2), VirtualPerson(), RecordOptions(rate_hz=50.0, noise_mm=0.5))


@pytest.fixture(scope="module")
def session(acquisition):
    return Session(acquisition.dynamic, acquisition.static, subject=acquisition.person.subject)


@pytest.fixture(scope="module")
def drawn(session, acquisition, tmp_path_factory):
    """Analysis, folder, and what was written."""
    folder = tmp_path_factory.mktemp("demo") / "made by the demo"
    analysis = analyze(session)
    return analysis, folder, draw(analysis, folder, truth=true_angles(acquisition))


def check_files(folder, written, pictures=PICTURES):
    assert sorted(path.relative_to(folder).as_posix() for path in written) == sorted(
        [*(f"pictures/{name}" for name in pictures), "report.html"]
    )
    for name in pictures:
        path = folder / "pictures" / name
        assert 20_000 < path.stat().st_size < 3_000_000
        with Image.open(path) as image:
            pixels = np.asarray(image.convert("RGB")).astype(int)
        assert pixels.shape[1] >= 1400
        assert pixels.shape[0] > 400
        assert len(np.unique(pixels @ (1 << 16, 1 << 8, 1))) > 300  # colours: smooth edges, shading
        paper = (pixels > 250).all(axis=-1).mean()
        assert 0.2 < paper < 0.99  # neither blank nor black


def check_page(analysis, folder):
    text = (folder / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    page_words = " ".join("".join(page.text).split())
    for notice in analysis.notices:
        assert " ".join(notice.sentence.split()) in page_words
    assert page.references
    assert all(one.startswith("data:image/png;base64,") for one in page.references)
    for tag in ("script", "link", "iframe", "object"):
        assert tag not in page.tags
    without_pictures = re.sub(r"data:image/png;base64,[A-Za-z0-9+/=]+", "", text)
    assert not re.search(r"https?://|file:/|url\(|@import", without_pictures)
    assert not re.search(r"(?<![\w.<])/(?:home|root|work|tmp|usr|var|Users)/|[A-Z]:\\", without_pictures)
    assert str(folder.parent) not in text
    assert "@media print" in text
    return page_words


def near(pixels, colour, apart=60):
    """Number of pixels whose colour is near to #RRGGBB."""
    wanted = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)])
    return int((np.abs(pixels.astype(int) - wanted).sum(axis=-1) < apart).sum())


def test_push_up_leaves_three_pictures_and_a_report(drawn):
    _, folder, written = drawn
    check_files(folder, written)


def test_the_report_is_complete_and_stands_alone(drawn):
    analysis, folder, _ = drawn
    text = check_page(analysis, folder)
    for words in ("Errors against the truth", "Ribcage under the scapulae", "Elbow", "SHA-256", "Joint centres"):
        assert words in text
    assert analysis.session.dynamic.source.sha256 in text


@pytest.mark.parametrize("name", ["figure.png", "angles.png"])
def test_right_is_blue_and_left_is_red(drawn, name):
    pixels = np.asarray(Image.open(drawn[1] / "pictures" / name).convert("RGB"))
    apart = 60 if name == "angles.png" else 150  # the body is lit, and its colours are softened
    assert near(pixels, LIGHT.right, apart) > 1500
    assert near(pixels, LIGHT.left, apart) > 1500


def test_a_push_up_is_about_the_arms(drawn):
    joints = main_joints(drawn[0])
    assert joints == ("sternoclavicular", "scapulothoracic", "shoulder", "elbow", "radioulnar", "wrist")


def test_drawing_leaves_nothing_behind_in_pyplot(drawn):
    from matplotlib import pyplot

    assert pyplot.get_fignums() == []


def test_the_picture_shows_the_body_that_the_window_shows(drawn, monkeypatch, tmp_path):
    """Its pixels come from the scene of the 3-D view, of every moment of the cycle once and of one of them twice."""
    from biomec_app.figures.moments import moments
    from biomec_app.viewer import canvas

    seen = []

    def noted(scene, camera, size, canvas):
        seen.append(scene.moment.frame)
        return np.full((size[1], size[0], 3), 255, dtype=np.uint8)

    monkeypatch.setattr(canvas, "picture", noted)
    draw_figure(drawn[0], "moments", tmp_path / "figure.png")
    chosen = [moment.frame for moment in moments(drawn[0])[1]]
    assert sorted(set(seen)) == sorted(chosen)
    assert len(seen) == len(chosen) + 1


def test_without_cycles_the_curves_run_over_the_time(drawn, tmp_path):
    analysis = drawn[0].with_settings(AnalysisSettings(cycles=CycleSettings("none"))).run_all()
    kind = figure_named("angle-overview")
    chosen = {choice.key: choice.options[0] for choice in kind.choices(analysis)}
    assert chosen["shown"] == "Over time"
    columns = {column.name: column.values for column in kind.data(kind.content(analysis, chosen), chosen)}
    np.testing.assert_array_equal(columns["time (s)"], analysis.signals.trial.time_s)
    for side in ("right", "left"):
        flexion = np.degrees(analysis.angles[f"{side} elbow flexion"])
        np.testing.assert_allclose(columns[f"{side} elbow flexion (deg)"], flexion)
    assert main_joints(analysis)[0] == "sternoclavicular"  # the arms move more than the legs
    draw_figure(analysis, "angle-overview", tmp_path / "angles.png")
    pixels = np.asarray(Image.open(tmp_path / "angles.png").convert("RGB"))
    assert near(pixels, LIGHT.right) > 500
    assert near(pixels, LIGHT.left) > 500


def test_without_a_valid_frame_the_static_pose_is_drawn(session, tmp_path):
    hopeless = AnalysisSettings(positions=ConsistencyOptions(position=PositionOptions(max_iterations=1)))
    analysis = analyze(session, hopeless)
    assert not analysis.motion.valid.any()
    check_files(tmp_path, draw(analysis, tmp_path))
    check_page(analysis, tmp_path)


def test_where_vtk_cannot_draw_the_report_says_so(drawn, tmp_path, monkeypatch):
    broken = Probe("vtk", False, "the process died with signal 11", "Install what is missing.")
    monkeypatch.setattr(demo_pictures, "probe", lambda name: broken)
    written = draw(drawn[0], tmp_path)
    check_files(tmp_path, written, ("angles.png", "quality.png"))
    assert "VTK cannot draw here: the process died with signal 11. Install what is missing." in check_page(
        drawn[0], tmp_path
    )


@pytest.mark.parametrize(
    ("dynamic", "static", "model"),
    [
        ("gait_pig_pair/HC030A05.c3d", "gait_pig_pair/HC030A01.c3d", None),
        ("gait_opensim2354/subject01_walk1.trc", "gait_opensim2354/subject01_static.trc", "legs"),
    ],
)
def test_real_walking_with_other_models(dynamic, static, model, tmp_path):
    files = recording(*dynamic.split("/")), recording(*static.split("/"))
    analysis = analyze(import_session(files[0], static=files[1]), AnalysisSettings(body=BodySettings(model)))
    check_files(tmp_path, draw(analysis, tmp_path))
    text = check_page(analysis, tmp_path)
    assert "Knee" in text
    assert main_joints(analysis) == ("pelvis in the laboratory", "hip", "knee", "ankle")
