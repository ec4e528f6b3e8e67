"""The real window with somebody at it: files are chosen and questions answered as a test says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis
from biomec.virtual import RecordOptions, VirtualPerson, record, squat, write_acquisition
from tests.app.acceptance.person import Person


@pytest.fixture
def person(qapp, tmp_path) -> Iterator[Person]:
    """Somebody at a new window with nothing open."""
    made = Person(tmp_path / "prefs.ini")
    yield made
    made.leave()


@pytest.fixture
def with_demo(person, demo_analysis) -> Person:
    """Somebody who has opened the demonstration."""
    person.document.open(demo_analysis)
    QApplication.processEvents()
    return person


@pytest.fixture(scope="session")
def squat_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """One squat as a laboratory hands it over: C3D with its static beside it; EMT with static, MOT and EMG."""
    acquisition = record(squat(1), VirtualPerson(), RecordOptions(50.0, 500.0, noise_mm=0.5, seed=3))
    return write_acquisition(acquisition, tmp_path_factory.mktemp("squat"), ("c3d", "emt"))


@pytest.fixture(scope="session")
def squat_measured(squat_files) -> Analysis:
    """The squat, imported and not analysed."""
    return Analysis(import_session(squat_files["emt"], subject=VirtualPerson().subject))


@pytest.fixture(scope="session")
def squat_analysis(squat_measured) -> Analysis:
    """The squat, analysed; smaller and quicker than the demonstration."""
    return squat_measured.run_all()
