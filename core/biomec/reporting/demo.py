"""The demonstration: a virtual subject's push-up, written to files as a laboratory would, read back and analysed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from biomec.base.progress import Progress
from biomec.body.kinematics.joint_angles import JointAngles, joint_angles
from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis, analyze
from biomec.recording import Session
from biomec.reporting.files.analysis_files import write_analysis
from biomec.reporting.statistics.angle_ranges import AngleError, angle_errors
from biomec.virtual import DEMO, VirtualAcquisition, VirtualPerson, push_up, record, write_acquisition

ACQUISITION = "acquisition"  # folder of the recorded files


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


def run_demo(folder: Path, progress: Progress | None = None) -> Demo:
    """Record, analyse and write everything into a folder; results of an earlier run are replaced."""
    acquisition, session = demo_session(Path(folder) / ACQUISITION)
    analysis = analyze(session, progress=progress)
    write_analysis(analysis, Path(folder), overwrite=True)
    return Demo(acquisition, analysis, true_angles(acquisition))


def demo_session(folder: Path) -> tuple[VirtualAcquisition, Session]:
    """Record the virtual subject, write the files into a folder, and import them."""
    acquisition = record(push_up("closed"), VirtualPerson(), DEMO)
    files = write_acquisition(acquisition, folder)
    return acquisition, import_session(files["emt"], subject=acquisition.person.subject)


def true_angles(acquisition: VirtualAcquisition) -> JointAngles:
    """Joint angles of what the virtual subject really did."""
    model = acquisition.model
    return joint_angles(
        model.attitudes(acquisition.truth.q),
        model.model.angles,
        static=model.attitudes(model.system.reference),
        axes=model.joint_axes(),
    )
