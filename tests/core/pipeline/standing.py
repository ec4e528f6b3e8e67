"""A session that needs no files: a virtual person who stands, sways and bends the knees a little."""

from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from biomec.recording import BIOMEC_AXES, Markers, Session, Source, Subject, Trial
from biomec.virtual.person import VirtualPerson

RATE = 50.0


def swaying_session(seconds: float = 1.0, *, subject: Subject | None = None, without: tuple[str, ...] = ()) -> Session:
    """The person as one rigid body that turns and sways; every landmark keeps its place in every segment."""
    person = VirtualPerson(70.0, 1.75, "female")
    names = tuple(name for name in person.markers if name not in without)
    p = np.array([person.markers[name] for name in names])
    t = np.arange(round(seconds * RATE)) / RATE
    turn = Rotation.from_rotvec(np.outer(0.2 * np.sin(2 * np.pi * t), [0.1, 1.0, 0.2])).as_matrix()
    sway = np.stack([0.05 * np.sin(2 * np.pi * t), np.zeros_like(t), 0.03 * np.cos(2 * np.pi * t)], axis=1)
    moving = np.einsum("tij,mj->tmi", turn, p) + sway[:, None]
    still = np.repeat(p[None], 5, axis=0)
    known = person.subject if subject is None else subject
    return Session(_trial("sway.emt", names, moving, known), _trial("standing.emt", names, still, known), subject=known)


def only(session: Session, names: tuple[str, ...]) -> Session:
    """The session with these markers of the movement only."""
    kept = [name for name in session.dynamic.markers.names if name in names]
    return replace(session, dynamic=replace(session.dynamic, markers=session.dynamic.markers.select(kept)))


def _trial(name: str, labels: tuple[str, ...], p: np.ndarray, subject: Subject) -> Trial:
    source = Source.of_bytes(name, "EMT", np.ascontiguousarray(p).tobytes())
    return Trial(source, Markers(labels, p, RATE), BIOMEC_AXES, subject)
