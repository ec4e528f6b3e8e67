"""Demonstrations: a virtual subject's movement, written to files as a laboratory would, read back and analysed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from biomec.base.frozen import FrozenDict
from biomec.base.progress import Progress
from biomec.body.kinematics.joint_angles import JointAngles, joint_angles
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Session
from biomec.reporting.files.analysis_files import write_analysis
from biomec.reporting.statistics.angle_ranges import AngleError, angle_errors
from biomec.virtual import (
    DEMO,
    AssistedWalk,
    Movement,
    VirtualAcquisition,
    VirtualPerson,
    push_up,
    record,
    write_acquisition,
)

ACQUISITION = "acquisition"  # folder of the recorded files
PUSH_UP, ASSISTED_WALK = "push-up", "assisted-walk"


@dataclass(frozen=True)
class DemoKind:
    """One demonstration: who does what, and the format in which the laboratory hands it over."""

    title: str
    movement: Callable[[], Movement]
    person: VirtualPerson
    format: str


DEMOS: Mapping[str, DemoKind] = FrozenDict({
    PUSH_UP: DemoKind("push-up", lambda: push_up("closed"), VirtualPerson(), "emt"),
    ASSISTED_WALK: DemoKind("walk with two crutches and two orthoses", partial(AssistedWalk, paralysed=True),
                            VirtualPerson(65.0, 1.60, "female", "Assisted"), "c3d"),
})  # fmt: skip


@dataclass(frozen=True, eq=False)
class Demo:
    """The analysis of the demonstration beside what really happened.

    acquisition : the virtual subject, its recording, and the truth
    analysis    : what Biomec made of the files
    truth       : joint angles of the true motion
    """

    acquisition: VirtualAcquisition
    analysis: Analysis
    truth: JointAngles

    @property
    def angle_errors(self) -> tuple[AngleError, ...]:
        """Differences of all angles from the truth over the valid frames."""
        return angle_errors(self.analysis.angles, self.truth)


def run_demo(folder: Path, progress: Progress | None = None, movement: str = PUSH_UP) -> Demo:
    """Record, analyse and write everything into a folder; results of an earlier run are replaced."""
    acquisition, session = demo_session(Path(folder) / ACQUISITION, movement)
    analysis = analyze(session, demo_settings(acquisition), progress=progress)
    write_analysis(analysis, Path(folder), overwrite=True)
    return Demo(acquisition, analysis, true_angles(acquisition))


def demo_session(folder: Path, movement: str = PUSH_UP) -> tuple[VirtualAcquisition, Session]:
    """Record the virtual subject, write the files into a folder, and import them."""
    kind = DEMOS[movement]
    acquisition = record(kind.movement(), kind.person, DEMO)
    files = write_acquisition(acquisition, folder, [kind.format])
    return acquisition, import_session(files[kind.format], subject=acquisition.person.subject)


def demo_settings(acquisition: VirtualAcquisition) -> AnalysisSettings:
    """The usual settings, with the devices that the virtual subject wears: no marker tells of an orthosis."""
    settings, model = AnalysisSettings(), acquisition.model.model
    return replace(settings, body=replace(settings.body, model=model.name)) if model.aids else settings


def true_angles(acquisition: VirtualAcquisition) -> JointAngles:
    """Joint angles of what the virtual subject really did."""
    model = acquisition.model
    return joint_angles(
        model.attitudes(acquisition.truth.q),
        model.model.angles,
        static=model.attitudes(model.system.reference),
        axes=model.joint_axes(),
    )
