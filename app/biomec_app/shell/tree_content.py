"""What the tree of a recording says: trials, model, results and signals, as plain nodes without any window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from biomec.engine.joint_kinds import JOINT_KINDS
from biomec.pipeline.analysis import Analysis
from biomec.recording import Trial
from biomec.recording.marker_set import MarkerSet
from biomec.reporting import facts
from biomec.reporting.tables import number, percent
from biomec_app.curves.catalogue import Catalogue, catalogue
from biomec_app.curves.curve import MAIN
from biomec_app.kit.words import channel_words, moment_told, origin, plate_words, point_words, with_code, zero_told

CURRENT, STALE, TODO, GOOD, DOUBT, BAD = "current", "stale", "todo", "good", "doubt", "bad"
"""States of a node: of a step, and of something measured."""
SEEN_WELL, SEEN_BADLY = 0.95, 0.5  # share of the frames that show a marker


@dataclass(frozen=True, eq=False)
class Node:
    """One line of the tree.

    key      : unique, the same from analysis to analysis, so that what was open stays open
    detail   : a few words behind the label; tip: sentences for a tooltip
    below    : makes its children when they are asked for
    curves   : keys of curves that it stands for; checkable: whether a box turns them on and off
    frame    : where to go
    segment, point : what to pick in the 3-D view
    step     : step of the analysis to run
    state    : one of the states, or ""
    words    : further words that a search finds it by
    meaning  : what a label that is a code means, fainter behind it
    """

    key: str
    label: str
    detail: str = ""
    tip: str = ""
    below: Callable[[], Iterable[Node]] = field(default=tuple)
    curves: tuple[str, ...] = ()
    checkable: bool = False
    frame: int | None = None
    segment: str | None = None
    point: str | None = None
    step: str | None = None
    state: str = ""
    words: str = ""
    meaning: str = ""

    @cached_property
    def children(self) -> tuple[Node, ...]:
        """Lines under this one."""
        return tuple(self.below())

    def walk(self) -> Iterator[Node]:
        """This node and all under it."""
        yield self
        for child in self.children:
            yield from child.walk()


def tree(analysis: Analysis, curves: Callable[[], Catalogue] | None = None) -> Node:
    """The whole tree. ``curves``: gives the catalogue when the signals are opened."""
    known = _Once(curves or (lambda: catalogue(analysis)))
    parts = [_recording(analysis, known), *_static(analysis), _model(analysis, known), _results(analysis)]
    return Node("", "", below=lambda: [*parts, _signals(known)])


def filtered(node: Node, text: str) -> Node | None:
    """The tree with only those lines that hold all words of ``text``, and what is above and below them."""
    wanted = text.lower().split()
    return _filtered(node, wanted, "") if wanted else node


def _filtered(node: Node, wanted: list[str], above: str) -> Node | None:
    here = f"{above} {node.label} {node.words} {node.meaning}".lower()
    if node.key and all(word in here for word in wanted):
        return node
    kept = [one for one in (_filtered(child, wanted, here) for child in node.children) if one is not None]
    if not kept and node.key:
        return None
    return Node(node.key, node.label, node.detail, node.tip, lambda: kept, node.curves, node.checkable, node.frame,
                node.segment, node.point, node.step, node.state, node.words, node.meaning)  # fmt: skip


class _Once:
    """Something that is made at the first call."""

    def __init__(self, make: Callable[[], Catalogue]) -> None:
        self._make = make

    @cached_property
    def value(self) -> Catalogue:
        return self._make()


# -------------------------------------------------------------------------------------------------------------- trials
def _recording(analysis: Analysis, known: _Once) -> Node:
    trial = analysis.session.dynamic
    recorded = facts.trial_facts(trial)
    tip = f"{recorded['file'].text}: {recorded['frames'].text}, {trial.source.format}. {zero_told(trial)}"
    events = analysis.events

    def below() -> list[Node]:
        nodes = [_markers("recording", trial, _marker_set(analysis))]
        if trial.plates:
            nodes.append(
                Node("recording/plates", "Force plates", str(len(trial.plates)), below=lambda: _plates(analysis))
            )
        if trial.emg is not None and trial.emg.names:
            emg = trial.emg
            rate = f"{emg.rate_hz:g} Hz"
            names = [
                Node(f"recording/emg/{n}", n, rate, f"{channel_words(n)}. {origin(n)}", curves=(f"emg/{n}",))
                for n in emg.names
            ]
            nodes.append(Node("recording/emg", "EMG", str(len(names)), f"Channels at {rate}.", lambda: names))
        if events:
            shown = [
                Node(f"recording/event/{k}", f"{e.label}{'' if e.context == 'General' else f', {e.context.lower()}'}",
                     f"{e.time_s:.2f} s", f"{moment_told(trial, e.time_s)}. Found by: {e.origin}. Click to go there.",
                     frame=min(max(0, round(e.time_s * trial.rate_hz)), trial.frames - 1))
                for k, e in enumerate(events)
            ]  # fmt: skip
            nodes.append(Node("recording/events", "Events", str(len(shown)), zero_told(trial), lambda: shown))
        return nodes

    return Node("recording", recorded["file"].text, recorded["duration"].text, tip, below)


def _static(analysis: Analysis) -> list[Node]:
    trial = analysis.session.static
    if trial is None:
        tip = "No static acquisition was imported; its pose is sought in the movement."
        return [Node("static", "No static acquisition", "", tip, state=DOUBT)]
    tip = f"{trial.source.name}: the static acquisition, {facts.trial_facts(trial)['frames'].text}."
    return [
        Node("static", trial.source.name, "static", tip, lambda: [_markers("static", trial, _marker_set(analysis))])
    ]


def _markers(key: str, trial: Trial, marker_set: MarkerSet | None) -> Node:
    markers = trial.markers
    shares = markers.visible.mean(axis=0) if trial.frames else np.zeros(len(markers.names))

    def one(name: str, share: float, seen: np.ndarray) -> Node:
        words = point_words(name, marker_set)
        state = GOOD if share >= SEEN_WELL else DOUBT if share >= SEEN_BADLY else BAD
        gaps = np.flatnonzero(~seen)
        gap = int(gaps[0]) if len(gaps) and key == "recording" else None
        lost = f" First lost in frame {trial.first_frame + int(gaps[0])}." if len(gaps) else ""
        curves = tuple(f"marker raw/{name}/{axis}" for axis in "XYZ") if key == "recording" else ()
        tip = f"{with_code(name, words)} was seen in {percent(share)} of the frames.{lost} {origin(name)}".rstrip()
        return Node(
            f"{key}/marker/{name}", name, percent(share), tip, curves=curves, frame=gap, point=name, state=state,
            meaning=words,
        )  # fmt: skip

    def below() -> list[Node]:
        return [
            one(name, float(share), seen)
            for name, share, seen in zip(markers.names, shares, markers.visible.T, strict=True)
        ]

    seen = f"{percent(float(shares.mean()))} seen" if len(shares) else ""
    return Node(f"{key}/markers", "Markers", f"{len(markers.names)}, {seen}" if seen else "0", "", below)


def _marker_set(analysis: Analysis) -> MarkerSet | None:
    return analysis.preparation.marker_set if "preparation" in analysis.done else None


def _plates(analysis: Analysis) -> list[Node]:
    owners: dict[str, dict[str, None]] = {}
    if "signals" in analysis.done and analysis.signals.contacts is not None:
        for item in analysis.signals.contacts.contacts:
            owners.setdefault(item.contact.plate, {})[item.segment or "nobody known"] = None
    nodes = []
    for plate in analysis.session.dynamic.plates:
        who = ", ".join(owners.get(plate.name, {}))
        keys = tuple(f"plate raw/{plate.name}/force {axis}" for axis in "XYZ")
        state = DOUBT if "nobody known" in who else ""
        tip = f"Plate {plate.name}, {plate.rate_hz:g} Hz." + (f" Touched by: {who}." if who else "")
        user = plate_words(analysis, plate.name)
        detail = who if user == plate.name else ""
        tip = f"{tip} {origin(plate.name)}".rstrip()
        nodes.append(Node(f"recording/plate/{plate.name}", user, detail, tip, curves=keys, state=state))
    return nodes


# --------------------------------------------------------------------------------------------------------------- model
def _model(analysis: Analysis, known: _Once) -> Node:
    if "body" not in analysis.done:
        return Node("model", "Model", "not loaded yet", 'Run "Body Model" first.', step="body", state=TODO)
    body, model = analysis.body.person, facts.model_facts(analysis)
    masses = {part.name: part.mass for part in body.system.bodies}
    present = {constraint.name for constraint in body.system.constraints}

    def segments() -> list[Node]:
        return [
            Node(f"model/segment/{name}", name, number(mass, 2, "kg"), f"The {name} weighs {number(mass, 2, 'kg')}.",
                 segment=name, curves=tuple(f"segment/{name}/position {axis}" for axis in "XYZ"))
            for name, mass in masses.items()
        ]  # fmt: skip

    def joints() -> list[Node]:
        return [
            Node(f"model/joint/{joint.name}", joint.name, JOINT_KINDS[joint.type].words,
                 f"Between {joint.proximal} and {joint.distal}, at {joint.centre}.", point=joint.centre)
            for joint in body.model.joints if joint.name in present
        ]  # fmt: skip

    def left_out() -> list[Node]:
        return [
            Node(f"model/left out/{name}", name, why, f"{name} is left out: {why}", state=DOUBT)
            for name, why in body.left_out.items()
        ]

    def below() -> list[Node]:
        nodes = [
            Node("model/segments", "Segments", str(len(masses)), below=segments),
            Node("model/joints", "Joints", str(len(joints())), below=joints),
        ]
        if body.left_out:
            tip = "Segments that the recording cannot follow."
            nodes.append(Node("model/left out", "Left out", str(len(body.left_out)), tip, left_out, state=DOUBT))
        return nodes

    tip = f"{body.model.title}: {model['size'].text}."
    return Node("model", f"Model {model['name'].value}", model["segments"].text, tip, below)


# ------------------------------------------------------------------------------------------------------------- results
def _results(analysis: Analysis) -> Node:
    nodes = []
    signs = {facts.CURRENT: CURRENT, facts.STALE: STALE, facts.TODO: TODO, facts.BLOCKED: DOUBT}
    for name, fact in facts.step_facts(analysis).items():
        tip = {
            facts.BLOCKED: fact.text,
            facts.TODO: f"{fact.label} has not run yet. Double-click to run it.",
            facts.CURRENT: f"{fact.label}: its result is {facts.CURRENT}.",
            facts.STALE: f"{fact.label}: settings have changed since it ran. Double-click to run it again.",
        }[fact.value]
        runs = None if fact.value == facts.BLOCKED else name
        nodes.append(Node(f"results/{name}", fact.label, fact.value, tip, step=runs, state=signs[fact.value]))
    stale, todo = (sum(node.state == state for node in nodes) for state in (STALE, TODO))
    words = f"{stale} {facts.STALE}" if stale else f"{todo} to do" if todo else facts.CURRENT
    state = STALE if stale else TODO if todo else CURRENT
    return Node(
        "results",
        "Analysis",
        words,
        "Steps of the analysis and the state of their results.",
        lambda: nodes,
        state=state,
    )


# ------------------------------------------------------------------------------------------------------------- signals
def _signals(known: _Once) -> Node:
    tip = "Everything that can be plotted. Check what you want to see, or drag it to the plots."
    return Node("signals", "Signals", "", tip, lambda: _kinds(known.value))


def _kinds(curves: Catalogue) -> list[Node]:
    return [
        Node(f"signals/{kind}", kind, str(len(groups)), below=lambda kind=kind, groups=groups: [  # type: ignore[misc]
            _group(curves, kind, group, keys) for group, keys in groups.items()
        ])
        for kind, groups in curves.kinds.items()
    ]  # fmt: skip


def _group(curves: Catalogue, kind: str, group: str, keys: list[str]) -> Node:
    key, curve = f"signals/{kind}/{group}", curves[keys[0]]
    meaning = f"{with_code(group, curve.words)}. {origin(group)}".rstrip() if curve.words else ""
    if len(keys) == 1:
        tip = f"{curve.label}. {meaning}".rstrip()
        return Node(key, group, curve.unit, tip, curves=(keys[0],), checkable=True, words=curve.label,
                    meaning=curve.words)  # fmt: skip

    def below() -> list[Node]:
        return [_curve(curves, key, one) for one in keys]

    return Node(key, group, "", meaning, below, curves=tuple(keys), checkable=True, meaning=curve.words)


def _curve(curves: Catalogue, above: str, key: str) -> Node:
    curve = curves[key]
    side = "" if curve.side is None or curve.group.startswith(curve.side.value) else f"{curve.side.value} "
    named = curve.variant == MAIN or "recorded" in curve.kind or "measured" in curve.kind or curve.variant in curve.kind
    variant = "" if named else f", {curve.variant}"
    label = f"{side}{curve.component}{variant}"
    tip = f"{curve.label} [{curve.unit}]. {curve.detail}" if curve.unit else f"{curve.label}. {curve.detail}"
    return Node(f"{above}/{key}", label, curve.unit, tip, curves=(key,), checkable=True, words=curve.label)
