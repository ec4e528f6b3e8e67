"""`biomec report`: one command from files to a report, and a sentence for everything that can go wrong."""

from dataclasses import replace
from datetime import date

import pytest

from biomec.cli import report as command
from biomec.cli.program import run
from biomec.io.project import save_project
from biomec.recording import ClinicalNotes
from tests.core.reporting.clinical.walks import walk


class Writers:
    """Stands in for the desktop program: keeps what it is asked to write."""

    def __init__(self):
        self.reports, self.options = [], []

    def made(self, **options):
        self.options.append(options)

    def write(self, report, path, how, progress=None):
        self.reports.append(report)
        path.write_text(report.title)


@pytest.fixture
def writers(monkeypatch):
    made = Writers()
    monkeypatch.setattr(command, "writer_for", lambda path: (made.made, made.write))
    return made


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    """Two visits of one person, and a folder with one of them beside a broken recording."""
    folder = tmp_path_factory.mktemp("projects")
    (folder / "visit").mkdir()
    subject = replace(walk().session.subject, name="Maria Silva")
    for name, day in (("now", date(2026, 3, 2)), ("before", date(2025, 3, 3))):
        session = replace(walk().session, subject=subject, recorded=day,
                          notes=ClinicalNotes(identifier="P42", findings="Silva crouches"))  # fmt: skip
        save_project(session, folder / f"{name}.biomec")
    (folder / "visit" / "walk.biomec").write_bytes((folder / "now.biomec").read_bytes())
    (folder / "visit" / "broken.c3d").write_bytes(b"\x02\x50" + bytes(100))
    return folder


def test_a_folder_is_reported_and_what_is_left_out_is_said(projects, tmp_path, writers, capsys):
    out = tmp_path / "report.pdf"
    assert run(["report", str(projects / "visit"), "-o", str(out), "--norm", "none", "--paper", "letter"]) == 0
    (report,) = writers.reports
    assert writers.options[0]["paper"] == "Letter"
    assert report.heading.who == "Maria Silva"
    assert report.page("kinematics") is not None
    assert report.page("comparison") is None
    said = capsys.readouterr()
    assert "angles 3 R, 3 L; loads 2 R, 2 L" in said.out
    assert "warning: broken.c3d was left out." in said.err
    assert 'info: The page "Comparison" is left out.' in said.err
    assert run(["report", str(projects / "visit"), "-o", str(out)]) == 1  # it exists now
    assert "was not overwritten. (--force)" in capsys.readouterr().err


def test_several_sessions_are_compared_without_names(projects, tmp_path, writers):
    sessions = [str(projects / name) for name in ("now.biomec", "before.biomec")]
    assert run(["report", *sessions, "-o", str(tmp_path / "r.html"), "--without-name"]) == 0
    (report,) = writers.reports
    assert report.page("comparison") is not None
    assert "silva" not in repr(report).lower()
    assert report.heading.identifier == "P42"


def test_of_different_days_nothing_is_pooled(projects, tmp_path, writers, capsys):
    sessions = [str(projects / name) for name in ("now.biomec", "before.biomec")]
    assert run(["report", *sessions, "--pool", "-o", str(tmp_path / "r.html")]) == 0
    assert "different days" in capsys.readouterr().err
    assert writers.reports[0].page("comparison") is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["absent", "-o", "r.pdf"], "there is no such file or folder"),
     (["now.biomec", "-o", "r.pdf", "--norm", "mine"], "There is no norm mine"),
     (["now.biomec", "-o", "r.pdf", "--definition", "absent.toml"], "absent.toml"),
     (["now.biomec", "-o", "r.pdf", "--settings", "absent.json"], "absent.json"),
     (["letter.txt", "-o", "r.pdf"], "letter.txt")],
)  # fmt: skip
def test_what_goes_wrong_is_a_sentence(arguments, words, projects, tmp_path, writers, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letter.txt").write_text("Dear colleague")
    (tmp_path / "now.biomec").write_bytes((projects / "now.biomec").read_bytes())
    assert run(["report", *arguments]) == 1
    error = capsys.readouterr().err
    assert words in error
    assert "Traceback" not in error
    assert not (tmp_path / "r.pdf").exists()


def test_names_that_cannot_be_written_are_refused_before_the_work(tmp_path, capsys):
    assert run(["report", "walk.c3d", "-o", str(tmp_path / "absent" / "r.pdf")]) == 1
    assert "there is no folder" in capsys.readouterr().err
