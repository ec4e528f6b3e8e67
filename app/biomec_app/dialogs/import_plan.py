"""What the import dialog asks about, without Qt: what the user has decided, and what the files say to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

import numpy as np

from biomec.base.notices import Notice, Severity
from biomec.io.companions import Companions, Found, find_companions
from biomec.io.evidence import redescribed
from biomec.io.marker_set_file import load_marker_set, shipped_marker_sets
from biomec.io.session_import import Choice, Skip, import_session
from biomec.pipeline.analysis import ALWAYS, KINEMATICS, Analysis
from biomec.pipeline.outlook import Obstacles
from biomec.pipeline.replay import python_text
from biomec.pipeline.settings import AnalysisSettings, PreparationSettings
from biomec.pipeline.steps.preparation import best_marker_set
from biomec.recording import Authority, EmgAlignment, LabAxes, Session, Subject, Trial
from biomec.recording.label_map import LabelMap
from biomec.recording.marker_set import MarkerSet
from biomec.signals.mapping import ACCEPT, Mapping, Suggestion, suggest_mapping

KINDS = ("static", "plates", "emg")
KIND_TITLES = {"static": "Static", "plates": "Force plates", "emg": "EMG"}
AXIS_CODES = ("up-", "forward-", "posture-", "static-other-axes", "plates-turned", "plate-turned", "plate-corners")
UNIT_CODES = ("unit-", "plate-unit", "c3d-unit", "free-moment", "plate-sign")
WHO = {
    Authority.ASSUMED: "assumed, as usual for this kind of file",
    Authority.EVIDENCE: "deduced from the data",
    Authority.FILE: "the file says so",
    Authority.USER: "as you say",
}


@dataclass(frozen=True)
class ImportPlan:
    """What the user has decided about an import; None leaves it to Biomec."""

    dynamic: Path
    static: Choice = None
    plates: Choice = None
    emg: Choice = None
    subject: Subject | None = None
    recorded: date | None = None
    saved_frames: EmgAlignment | None = None
    axes: LabAxes | None = None
    reverse_plates: bool = False
    factor: float = 1.0  # of all positions of markers
    marker_set: str | None = None
    label_map: LabelMap | None = None

    @property
    def of_files(self) -> ImportPlan:
        """The part for which files have to be read again; the subject and the labels are not."""
        return replace(self, subject=None, recorded=None, marker_set=None, label_map=None)

    @property
    def settings(self) -> AnalysisSettings:
        """Settings of the analysis that the plan asks for."""
        return AnalysisSettings(preparation=PreparationSettings(self.marker_set, self.label_map))


@dataclass(frozen=True, eq=False)
class Preview:
    """What the files give with a plan.

    session    : what would be imported
    companions : what was found beside the movement
    marker_set : the one that was asked for, or that fits best
    fits       : whether the marker set explains enough of the labels
    mapping    : what every label of movement and static seems to mean
    """

    plan: ImportPlan
    session: Session
    companions: Companions
    marker_set: MarkerSet
    fits: bool
    mapping: Mapping

    @property
    def posed(self) -> Trial:
        """The trial in which the subject stands, or else the movement."""
        return self.session.static or self.session.dynamic

    @property
    def doubtful(self) -> tuple[Suggestion, ...]:
        """Labels that may mean a marker, but not for sure."""
        return tuple(s for s in self.mapping.suggestions if s.target is not None and s.confidence < ACCEPT)

    @property
    def labels_need_a_look(self) -> bool:
        """Whether a person should look at the labels."""
        return not self.fits or bool(self.doubtful)


def read(plan: ImportPlan) -> Preview:
    """Read the files of a plan; raises a `BiomecError` where one that was chosen by hand cannot be read."""
    session = import_session(
        plan.dynamic,
        static=plan.static,
        plates=plan.plates,
        emg=plan.emg,
        subject=plan.subject,
        recorded=plan.recorded,
        saved_frames=plan.saved_frames,
        axes=plan.axes,
        reverse_plates=plan.reverse_plates,
    )
    if plan.factor != 1.0:
        session = redescribed(session, factor=plan.factor)
    marker_set, fits, mapping = examine_labels(session, plan.marker_set)
    set_titles()  # read here, in the background, what the dialog shows
    return Preview(plan, session, find_companions(plan.dynamic), marker_set, fits, mapping)


@cache
def set_titles() -> dict[str, str]:
    """Title of every shipped marker set, by its name."""
    return {name: load_marker_set(name).title for name in shipped_marker_sets()}


def examine_labels(session: Session, name: str | None = None) -> tuple[MarkerSet, bool, Mapping]:
    """Return the marker set of that name or the best one, whether it fits, and what the labels seem to mean."""
    posed = session.static or session.dynamic
    marker_set, fits = best_marker_set(posed.markers.names) if name is None else (load_marker_set(name), True)
    return marker_set, fits, suggest_mapping(all_labels(session), marker_set, posed)


def all_labels(session: Session) -> tuple[str, ...]:
    """Labels of the static and of the movement, each once."""
    static = () if session.static is None else session.static.markers.names
    return tuple(dict.fromkeys((*static, *session.dynamic.markers.names)))


def decided(preview: Preview, plan: ImportPlan) -> Session:
    """Return the session with the subject and the date of a plan whose files have been read."""
    subject = preview.session.subject if plan.subject is None else plan.subject
    return replace(preview.session, subject=subject, recorded=plan.recorded or preview.session.recorded)


def import_line(plan: ImportPlan, session: Session) -> str:
    """Line of Python that imports the same."""
    given = [repr(str(plan.dynamic))]
    for kind in KINDS:
        choice = getattr(plan, kind)
        if choice is not None:
            given.append(f"{kind}={'SKIP' if isinstance(choice, Skip) else repr(str(choice))}")
    given.append(f"subject={python_text(session.subject)}")
    for name, value in (("recorded", session.recorded), ("saved_frames", plan.saved_frames), ("axes", plan.axes)):
        if value is not None:
            given.append(f"{name}={python_text(value)}")
    if plan.reverse_plates:
        given.append("reverse_plates=True")
    settings = plan.settings
    more = "" if settings == AnalysisSettings() else f", {python_text(settings)}"
    made = f"import_session({', '.join(given)})"
    if plan.factor != 1.0:
        made = f"redescribed({made}, factor={plan.factor:g})"
    return f"analysis = Analysis({made}{more})"


def analysis_of(plan: ImportPlan, session: Session) -> Analysis:
    """Return the analysis that an import begins."""
    return Analysis(session, plan.settings)


def analysis_reach(trial: Trial, labels_known: bool, found: Obstacles = Obstacles()) -> tuple[str | None, str]:
    """Last step that an analysis of a recording can sensibly run to, None if it cannot begin; and a sentence why.

    labels_known : the marker set fits, or somebody has decided what the labels mean
    found        : what is in the way of it, as far as that was tried
    """
    if not trial.markers.names:
        return None, "There are no markers in it, so that there is nothing to analyse."
    if not labels_known:
        return None, "Its labels fit no marker set that Biomec knows. Decide them under Labels first."
    if found.model:
        return None, "It can be imported, but not analysed as it is: see Labels."
    if found.loads:
        return KINEMATICS, f"Up to joint angles and cycles, but not to what the joints carry. {found.loads}"
    if not trial.plates:
        return KINEMATICS, (
            "Up to joint angles and cycles. There are no force plates; Dynamics ▸ Inverse can estimate what the joints "
            "carry from the motion alone."
        )
    return ALWAYS[-1].name, "Up to joint angles, cycles, and what the joints carry (inverse dynamics)."


# -------------------------------------------------------------------------------------------------- what to tell
def overview(session: Session) -> str:
    """What a recording holds, in a line; with markers that only its static has, so that all labels are counted."""
    trial = session.dynamic
    more = len(all_labels(session)) - len(trial.markers.names)
    in_static = f" and {more} more in the static" if more else ""
    parts = [f"{len(trial.markers.names)} markers{in_static}", f"{trial.frames} frames at {trial.rate_hz:g} Hz"]
    parts.append(f"{trial.duration_s:.1f} s")
    if trial.plates:
        parts.append(f"{len(trial.plates)} force plate{'s' if len(trial.plates) > 1 else ''}")
    if trial.emg is not None:
        parts.append(f"{len(trial.emg.names)} EMG channels")
    if trial.events:
        parts.append(f"{len(trial.events)} events")
    return ", ".join(parts)


def file_state(preview: Preview, kind: str) -> tuple[bool, str]:
    """Whether there is a file of a kind, and a sentence about it."""
    choice: Choice = getattr(preview.plan, kind)
    found: Found | None = getattr(preview.companions, kind)
    trial = preview.session.dynamic
    inside = {"static": False, "plates": bool(trial.plates), "emg": trial.emg is not None}[kind]
    unreadable = [n.sentence for n in preview.session.notices if n.code in (f"{kind}-unreadable", f"{kind}-none")]
    if isinstance(choice, Skip):
        return False, "Not used."
    if unreadable:
        return False, unreadable[0]
    if choice is not None:
        return True, "Chosen by you."
    if any(notice.code == f"{kind}-not-needed" for notice in preview.session.notices) or (inside and found is None):
        return True, _inside(trial, kind)
    if found is not None:
        return True, f"It {found.reason}."
    if kind == "static":
        return False, "None was found. The movement itself then has to show every marker once."
    return False, "None was found."


def _inside(trial: Trial, kind: str) -> str:
    """What the movement's own file has of a kind, so that it is not said twice where it is."""
    if kind == "plates" and trial.plates:
        plates, rates = len(trial.plates), sorted({plate.rate_hz for plate in trial.plates})
        return f"{plates} force plate{'s' * (plates > 1)} at {' and '.join(f'{rate:g}' for rate in rates)} Hz."
    if kind == "emg" and trial.emg is not None:
        channels = len(trial.emg.names)
        return f"{channels} channel{'s' * (channels > 1)} at {trial.emg.rate_hz:g} Hz."
    return ""


def chosen_path(preview: Preview, kind: str) -> Path | None:
    """File of a kind that is used beside the movement."""
    choice: Choice = getattr(preview.plan, kind)
    if isinstance(choice, Skip):
        return None
    if choice is not None:
        return Path(choice)
    used = {record.step: record.settings.get("files", {}) for record in preview.session.provenance}.get("import", {})
    found: Found | None = getattr(preview.companions, kind)
    return found.path if found is not None and kind in used else None


def axes_reasons(trial: Trial) -> tuple[str, str]:
    """Why up and forward are as they are."""
    axes = trial.axes
    return WHO[axes.authority], WHO[axes.forward_authority]


def size_sentence(trial: Trial) -> str:
    """How large the subject is by the markers, so that a wrong unit is seen at once."""
    seen = trial.markers.p_WM[trial.markers.visible.all(axis=1)] if trial.markers.names else np.zeros((0, 0, 3))
    if not seen.size:
        p = trial.markers.p_WM.reshape(-1, 3)
        seen = p[np.isfinite(p).all(axis=1)][None]
    if not seen.size:
        return "No marker is seen, so that the unit cannot be checked."
    up = "xyz".index(trial.axes.up[1])
    extent = np.median(np.ptp(seen, axis=1), axis=0)
    return (
        f"In {trial.source.name} the markers span {extent[up]:.2f} m in height and "
        f"{float(np.delete(extent, up).max()):.2f} m in width."
    )


def about_axes(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Notices about axes and units."""
    return tuple(n for n in dict.fromkeys(notices) if n.code.startswith((*AXIS_CODES, *UNIT_CODES)))


def all_notices(session: Session) -> tuple[Notice, ...]:
    """Everything that reading found, the most serious first."""
    rank = list(Severity)
    found = [notice for notice in session.notices if not notice.code.endswith("-by-name")]  # shown with the files
    for trial in (session.dynamic, session.static):
        if trial is not None:
            found += [_with_name(notice, trial.source.name) for notice in trial.notices]
    return tuple(sorted(dict.fromkeys(found), key=lambda notice: -rank.index(notice.severity)))


def _with_name(notice: Notice, name: str) -> Notice:
    """A notice that says which file it is about."""
    return notice if name in notice.sentence else replace(notice, sentence=f"{name}: {notice.sentence}")
