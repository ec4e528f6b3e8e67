"""From a laboratory's labels to the markers of a set: suggestions, each with its confidence and reason."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info, warning
from biomec.recording import Markers, Trial
from biomec.recording.label_map import LabelMap
from biomec.recording.marker_set import MarkerDefinition, MarkerSet
from biomec.signals.label_evidence import (
    LabelForm,
    Standing,
    common_prefix,
    could_be_misspelt,
    label_forms,
    pattern_form,
    plain,
    standing_markers,
    without_subject,
)

HIGH = 0.9  # from here on a suggestion can be taken without asking
ACCEPT = 0.7  # from here on it is taken unless the user objects
# confidence of each kind of evidence
EXACT, ALIAS, NORMALISED, NORMALISED_ALIAS, SIDELESS = 1.0, 0.97, 0.95, 0.92, 0.75
NEAR, MISSPELT, SHARED, PLACE, CONTRADICTED = 0.6, 0.55, 0.5, 0.45, 0.3


@dataclass(frozen=True)
class Suggestion:
    """What a label seems to mean.

    label      : as in the file
    target     : marker of the set, or None if nothing fits
    confidence : 0 to 1; `HIGH` and more can be taken without asking
    reason     : in words
    """

    label: str
    target: str | None
    confidence: float
    reason: str


@dataclass(frozen=True)
class Mapping:
    """Suggestions for all labels of a recording, in their order, and what a person should look at."""

    marker_set: str
    suggestions: tuple[Suggestion, ...]
    notices: tuple[Notice, ...] = ()

    def __getitem__(self, label: str) -> Suggestion:
        for suggestion in self.suggestions:
            if suggestion.label == label:
                return suggestion
        raise BiomecError(f"There is no label {label} among those that were mapped.")

    def accepted(self, at_least: float = ACCEPT, name: str = "suggested") -> LabelMap:
        """Profile of the suggestions that are at least so certain; labels that mean nothing to the set are ignored."""
        taken = {s.label: s.target for s in self.suggestions if s.target is not None and s.confidence >= at_least}
        ignored = tuple(s.label for s in self.suggestions if s.target is None)
        return LabelMap(name, self.marker_set, taken, ignored)


def suggest_mapping(labels: Sequence[str], marker_set: MarkerSet, trial: Trial | None = None) -> Mapping:
    """Suggest which marker of the set every label is.

    By the same name, an alias, the same name in another spelling, a neighbouring landmark, a slip of the pen. With a
    ``trial`` in which the subject stands, places on the body confirm or contradict the names and stand in for them.
    """
    by_name = _by_name(labels, marker_set)
    suggestions, notices = _one_label_each(labels, by_name)
    if trial is not None:
        suggestions, found = _with_geometry(suggestions, standing_markers(trial, labels, marker_set), marker_set)
        notices += found
    return Mapping(marker_set.name, tuple(suggestions), (*notices, *_lacking(suggestions, marker_set)))


def completed(label_map: LabelMap, labels: Sequence[str], marker_set: MarkerSet) -> LabelMap:
    """Return a profile for these labels: what it lists, and for all other labels what they suggest themselves.

    A laboratory lists its exceptions only. A marker that the profile gives to one of the labels is suggested to no
    other, and labels that it ignores stay ignored.
    """
    listed = {without_subject(label): target for label, target in label_map.targets.items()} | dict(label_map.targets)
    own = {label: listed[label] for label in labels if label in listed}
    rest = [label for label in labels if label not in own and label not in label_map.ignored]
    suggested = suggest_mapping(rest, marker_set).accepted().targets
    taken = {*own.values(), *label_map.ignored}
    more = {label: target for label, target in suggested.items() if target not in taken}
    return LabelMap(label_map.name, label_map.marker_set, own | more, label_map.ignored)


def apply_mapping(trial: Trial, mapping: Mapping | LabelMap) -> Trial:
    """Rename the markers of a trial; labels that are not mapped keep their names.

    Of a `Mapping` the suggestions from `ACCEPT` on are used. A label that would collide with a mapped one is refused.
    """
    label_map = mapping.accepted() if isinstance(mapping, Mapping) else mapping
    targets = {without_subject(label): target for label, target in label_map.targets.items()} | dict(label_map.targets)
    names = [targets.get(name, name) for name in trial.markers.names]
    for old, new in zip(trial.markers.names, names, strict=True):
        if names.count(new) > 1:
            others = " and ".join(o for o, n in zip(trial.markers.names, names, strict=True) if n == new)
            raise BiomecError(
                f"{trial.source.name}: with the mapping {label_map.name}, {others} would both be called {new}. "
                f"Map or ignore {old} by another name."
            )
    markers = trial.markers
    renamed = Markers(tuple(names), markers.p_WM, markers.rate_hz, markers.residual)
    changed = sum(old != new for old, new in zip(markers.names, names, strict=True))
    if not changed:
        return replace(trial, markers=renamed)
    note = info(
        "labels-mapped", f"{changed} labels of {trial.source.name} were renamed by the mapping {label_map.name}."
    )
    return replace(trial, markers=renamed).with_notices(note)


# ------------------------------------------------------------------------------------------------------------ by name


def _by_name(labels: Sequence[str], marker_set: MarkerSet) -> dict[str, Suggestion]:
    """Best suggestion for every label that has one."""
    forms = _forms_of(marker_set)
    found = {label: best for label in labels if (best := _best(label, marker_set, forms)) is not None}
    prefix = common_prefix(labels)
    if prefix and 2 * len(found) < len(labels):
        bare = {label: _best(label.removeprefix(prefix), marker_set, forms) for label in labels}
        found = {label: replace(best, label=label) for label, best in bare.items() if best is not None}
    taken = {suggestion.target for suggestion in found.values()}
    free = [marker for marker in marker_set.markers if marker.name not in taken]
    for label in labels:
        if label not in found and (slip := _misspelt(label, free)) is not None:
            found[label] = slip
    return found


def _forms_of(marker_set: MarkerSet) -> dict[LabelForm, list[tuple[float, MarkerDefinition, str]]]:
    """Reading -> (confidence, marker, reason) for every name and alias of the set."""
    forms: dict[LabelForm, list[tuple[float, MarkerDefinition, str]]] = defaultdict(list)
    for marker in marker_set.markers:
        known = [(marker.pattern, NORMALISED, "the same name in another spelling")]
        known += [(alias, NORMALISED_ALIAS, f"known by the alias {alias}") for alias in marker.aliases]
        known += [(alias, NEAR, f"near {marker.landmark or marker.name}, but not the same") for alias in marker.near]
        for pattern, confidence, reason in known:
            for form in {pattern_form(pattern, marker), LabelForm(None, plain(_written(pattern, marker, marker_set)))}:
                forms[form].append((confidence, marker, reason))
    return forms


def _best(
    label: str, marker_set: MarkerSet, forms: dict[LabelForm, list[tuple[float, MarkerDefinition, str]]]
) -> Suggestion | None:
    bare = without_subject(label)
    if bare in marker_set:
        return Suggestion(label, bare, EXACT, "the same name")
    found: list[tuple[float, MarkerDefinition, str]] = []
    for form, lost in label_forms(label).items():
        found += [(confidence - lost, marker, reason) for confidence, marker, reason in forms.get(form, [])]
        if marker_set.sides is None and form.side is not None:  # a set without sides: the label may still say one
            found += [
                (min(SIDELESS, confidence) - lost, marker, f"{reason}; the set has no sides")
                for confidence, marker, reason in forms.get(LabelForm(None, form.name), [])
            ]
    if not found:
        return None
    top = max(confidence for confidence, _, _ in found)
    best = {marker.name: reason for confidence, marker, reason in found if confidence == top}
    if len(best) > 1:
        return Suggestion(label, min(best), min(top, SHARED), f"it can mean {' or '.join(sorted(best))}")
    ((target, reason),) = best.items()
    marker = marker_set[target]
    literal = {_written(alias, marker, marker_set) for alias in marker.aliases}
    return Suggestion(label, target, ALIAS if bare in literal else top, reason)


def _written(pattern: str, marker: MarkerDefinition, marker_set: MarkerSet) -> str:
    """A pattern as the set itself would write it for this marker."""
    return marker_set.sides.write(pattern, marker.side) if marker_set.sides and marker.side else pattern


def _misspelt(label: str, free: list[MarkerDefinition]) -> Suggestion | None:
    """The one free marker whose name differs from the label by a slip of the pen."""
    forms = label_forms(label)
    close = {
        marker.name
        for marker in free
        for form in forms
        for pattern in (marker.pattern, *marker.aliases)
        if form.side is marker.side and could_be_misspelt(form.name, pattern_form(pattern, marker).name)
    }
    if len(close) != 1:
        return None
    (target,) = close
    return Suggestion(label, target, MISSPELT, f"{target} with a slip of the pen")


def _one_label_each(labels: Sequence[str], by_name: dict[str, Suggestion]) -> tuple[list[Suggestion], list[Notice]]:
    """Give every marker to the label that fits best; the others are left without a target, and said so."""
    claims: dict[str, list[Suggestion]] = defaultdict(list)
    for label in dict.fromkeys(labels):
        if label in by_name and by_name[label].target is not None:
            claims[str(by_name[label].target)].append(by_name[label])
    result, notices = {}, []
    for target, rivals in claims.items():
        ranked = sorted(rivals, key=lambda s: -s.confidence)
        winner, losers = ranked[0], ranked[1:]
        if losers and losers[0].confidence == winner.confidence:
            winner = replace(winner, confidence=min(winner.confidence, SHARED), reason=f"so is {losers[0].label}")
        result[winner.label] = winner
        for loser in losers:
            result[loser.label] = Suggestion(loser.label, None, 0.0, f"{target} is already {winner.label}")
        serious = [s for s in losers if s.confidence > NEAR]
        if serious:
            names = " and ".join(s.label for s in (winner, *serious))
            notices.append(
                warning(
                    "duplicate-target",
                    f"{names} could all be the marker {target}; {winner.label} is suggested. Decide for one of them.",
                    *(s.label for s in (winner, *serious)),
                )
            )
    nothing = (label for label in labels if label not in result)
    result |= {label: Suggestion(label, None, 0.0, "nothing in the set is called like this") for label in nothing}
    return [result[label] for label in dict.fromkeys(labels)], notices


def _lacking(suggestions: Sequence[Suggestion], marker_set: MarkerSet) -> list[Notice]:
    there = [s.target for s in suggestions if s.target is not None]
    followed = marker_set.lacking(there, dynamic=True)
    only_static = [name for name in marker_set.lacking(there, dynamic=False) if name not in followed]
    notices = []
    if followed:
        notices.append(
            warning("markers-unmapped", f"No label was found for {', '.join(followed)}. Map them by hand.", *followed)
        )
    if only_static:
        notices.append(
            info(
                "static-markers-unmapped",
                f"No label was found for {', '.join(only_static)}. Only the static acquisition needs them.",
                *only_static,
            )
        )
    return notices


# -------------------------------------------------------------------------------------------------------- by geometry


def _with_geometry(
    suggestions: list[Suggestion], standing: Standing | None, marker_set: MarkerSet
) -> tuple[list[Suggestion], list[Notice]]:
    """Names checked against places on the body; labels without a name suggestion get one from their place."""
    if standing is None:
        note = "The subject does not stand upright in this trial, or too few markers are known: places were not used."
        return suggestions, [info("geometry-not-used", note)]
    named = {s.label: s.target for s in suggestions if s.target is not None and s.confidence > NEAR}
    fit = standing.fit(named)
    notices: list[Notice] = []
    if fit.mirrored:
        notices.append(
            warning(
                "sides-exchanged",
                "By their places, left and right labels are exchanged, or the axes of the file are left-handed. Check "
                "one marker of each side before going on.",
            )
        )
    result = []
    for suggestion in suggestions:
        if not fit.mirrored and suggestion.label in fit.contradicted:
            target, there = suggestion.target, fit.contradicted[suggestion.label]
            reason = f"{suggestion.reason}, but it lies where {there} is"
            notices.append(
                warning(
                    "place-contradicts-name",
                    f"{suggestion.label} is called like {target}, but lies on the body where {there} is. Check it.",
                    suggestion.label,
                )
            )
            suggestion = replace(suggestion, confidence=min(suggestion.confidence, CONTRADICTED), reason=reason)
        result.append(suggestion)
    taken = {s.target for s in result if s.target is not None}
    free_labels = [s.label for s in result if s.target is None]
    free = [m.name for m in marker_set.markers if m.place and not m.technical and m.name not in taken]
    places = fit.nearest(free_labels, free)
    return [_placed(s.label, places[s.label]) if s.label in places else s for s in result], notices


def _placed(label: str, found: tuple[str, float]) -> Suggestion:
    """Suggestion by place alone: never certain enough to be taken without asking."""
    target, off = found
    return Suggestion(label, target, PLACE, f"it lies where {target} is, within {100.0 * off:.0f} % of stature")
