"""The settings as a form: for every field its kind, its options and its default, from the frozen options themselves.

Knows no Qt: the dialog makes a widget of every `Field`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum, StrEnum
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from biomec.base.errors import BiomecError
from biomec.body.anatomy.centres import CENTRE_METHODS, methods_for
from biomec.body.anatomy.inertia_file import shipped_girdles
from biomec.body.anatomy.inertia_table import TORSO_CHOICES
from biomec.body.loads.mass_adjustment import TOTALS
from biomec.body.loads.options import CONSTRAINTS, EXTERNAL, METHODS
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.repetitions import AUTO, CANDIDATES, EVENTS, NONE
from biomec.pipeline.settings import AnalysisSettings
from biomec.signals.filtering import ManualCutoff
from biomec_app.dialogs.settings_help import CENTRES, HELP, WORDS, Explained
from biomec_resources import resource

RULES = ("dilate", "fit")
_TITLE = re.compile(r'^title = "(.*)"$', re.MULTILINE)


class Kind(Enum):
    """What a field is entered with."""

    GROUP = "group"  # fields of its own
    OPTIONAL_GROUP = "optional group"  # the same, that can be off
    NUMBER = "number"
    WHOLE = "whole"
    SWITCH = "switch"
    CHOICE = "choice"
    CENTRES = "centres"  # a choice for every joint centre
    LINES = "lines"  # name = number, one a line
    NAMES = "names"  # with commas between them
    VECTOR = "vector"  # three numbers, or nothing
    SHOWN = "shown"  # only shown, and can be taken away


@dataclass(frozen=True)
class Option:
    """An option of a choice: its value, and what the window calls it."""

    value: Any
    label: str


@dataclass(frozen=True)
class Field:
    """A field of the form.

    path     : names from `AnalysisSettings` down, such as ("signals", "reconstruction", "pose")
    default  : value it has where nobody has changed it
    options  : of a choice
    files    : a choice that also takes a file of the user's
    """

    path: tuple[str, ...]
    key: str
    kind: Kind
    explained: Explained
    default: Any
    options: tuple[Option, ...] = ()
    files: bool = False
    parts: tuple[Field, ...] = ()


DEFAULTS = AnalysisSettings()


def page(step: str, analysis: Analysis | None = None) -> Field:
    """Page of the form for one step; some options depend on the model of the analysis."""
    return _field(AnalysisSettings, step, (), DEFAULTS, analysis)


def form(analysis: Analysis | None = None) -> tuple[Field, ...]:
    """All pages, in the order of the steps."""
    return tuple(page(one.name, analysis) for one in fields(AnalysisSettings))


def value_at(settings: Any, path: tuple[str, ...]) -> Any:
    """Value of a field; None if a part above it is off."""
    for name in path:
        if settings is None:
            return None
        settings = getattr(settings, name)
    return settings


def changed(settings: Any, path: tuple[str, ...], value: Any) -> Any:
    """Settings with another value of a field. The options check themselves, and raise a sentence."""
    name, rest = path[0], path[1:]
    if not rest:
        return replace(settings, **{name: value})
    inner = getattr(settings, name)
    if inner is None:  # a group that is off: its defaults
        made = _options_class(get_type_hints(type(settings))[name])
        inner = None if made is None else made()
    return replace(settings, **{name: changed(inner, rest, value)})


def all_fields(parts: tuple[Field, ...]) -> list[Field]:
    """Fields and the fields within them."""
    return [one for part in parts for one in (part, *all_fields(part.parts))]


# --------------------------------------------------------------------------------------------------------------- making
def _field(owner: type, name: str, above: tuple[str, ...], defaults: Any, analysis: Analysis | None) -> Field:
    key, path = f"{owner.__name__}.{name}", (*above, name)
    hint = get_type_hints(owner)[name]
    default = getattr(defaults, name)
    explained = HELP.get(key, Explained(name.capitalize(), ""))
    inner = _options_class(hint)
    if inner is not None and key not in SHOWN:
        optional = hint is not inner
        within = default if default is not None else inner()
        parts = tuple(_field(inner, one.name, path, within, analysis) for one in fields(inner))
        return Field(path, key, Kind.OPTIONAL_GROUP if optional else Kind.GROUP, explained, default, parts=parts)
    kind = _kind(key, hint)
    options = _options(key, hint, analysis) if kind is Kind.CHOICE else ()
    return Field(path, key, kind, explained, default, options, key in FILES)


SHOWN = ("PreparationSettings.label_map", "ModelOptions.points", "ModelOptions.axes", "SignalSettings.by_hand")
FILES = ("BodySettings.model", "InertiaOptions.table", "InertiaOptions.girdle", "EllipsoidOptions.preset",
         "PreparationSettings.marker_set")  # fmt: skip


def _options_class(hint: Any) -> type | None:
    """The options that a field holds, also if it may be None."""
    candidates = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    return next((one for one in candidates if isinstance(one, type) and is_dataclass(one)), None)


def _kind(key: str, hint: Any) -> Kind:
    if key in SHOWN:
        return Kind.SHOWN
    if key in CHOICES or get_origin(hint) is Literal or (isinstance(hint, type) and issubclass(hint, StrEnum)):
        return Kind.CHOICE
    simple = {bool: Kind.SWITCH, int: Kind.WHOLE, float: Kind.NUMBER}
    special = {"ModelOptions.centres": Kind.CENTRES, "ModelOptions.without": Kind.NAMES}
    if key in special:
        return special[key]
    if isinstance(hint, type) and hint in simple:
        return simple[hint]
    if "tuple[float, float, float]" in str(hint):
        return Kind.VECTOR
    return Kind.LINES


def _options(key: str, hint: Any, analysis: Analysis | None) -> tuple[Option, ...]:
    if key in CHOICES:
        return CHOICES[key](analysis)
    values = get_args(hint) if get_origin(hint) is Literal else tuple(hint)
    return tuple(Option(value, WORDS.get(str(value), str(value))) for value in values)


# -------------------------------------------------------------------------------------------------------------- options
@cache
def _shipped(folder: str, nothing: str = "") -> tuple[Option, ...]:
    """What ships with Biomec in a folder of resources, with its titles; ``nothing``: what None means, if it may be."""
    found = [Option(None, nothing)] if nothing else []
    for file in sorted(resource(folder).iterdir(), key=lambda one: one.name):
        if file.name.endswith(".toml"):
            name = file.name.removesuffix(".toml")
            title = _TITLE.search(file.read_text("utf-8"))  # reading the whole description would take too long here
            found.append(Option(name, WORDS.get(name, name) if title is None else f"{name}: {title[1]}"))
    return tuple(found)


def _ships(folder: str, nothing: str = "") -> Callable[[Analysis | None], tuple[Option, ...]]:
    return lambda analysis: _shipped(folder, nothing)


def _conventions(analysis: Analysis | None) -> tuple[Option, ...]:
    known: tuple[str, ...] = ("standard", "isb", "plug-in-gait")
    if analysis is not None and "body" in analysis.done:
        known = analysis.loaded.body.model.conventions
    return tuple(Option(name, WORDS.get(name, name)) for name in known)


def _cycles_by(analysis: Analysis | None) -> tuple[Option, ...]:
    angles = list(CANDIDATES)
    if analysis is not None and "angles" in analysis.done:
        stems = (name.removeprefix("right ").removeprefix("left ") for name in analysis.angles.names)
        angles += [stem for stem in dict.fromkeys(stems) if stem not in angles]
    fixed = (
        Option(AUTO, "automatic: steps, else an angle"),
        Option(EVENTS, WORDS["events"]),
        Option(NONE, "no cycles"),
    )
    return (*fixed, *(Option(name, name) for name in angles))


def _roots(analysis: Analysis | None) -> tuple[Option, ...]:
    known: tuple[str, ...] = ("thorax", "pelvis")
    if analysis is not None and "body" in analysis.done:
        known = tuple(part.name for part in analysis.loaded.body.system.bodies)
    return (Option(None, "the model's own"), *(Option(name, name) for name in known))


def _girdles(analysis: Analysis | None) -> tuple[Option, ...]:
    return tuple(Option(name, WORDS.get(name, name)) for name in shipped_girdles())


def _words(names: tuple[str, ...]) -> Callable[[Analysis | None], tuple[Option, ...]]:
    return lambda analysis: tuple(Option(name, WORDS.get(name, name)) for name in names)


CHOICES: dict[str, Callable[[Analysis | None], tuple[Option, ...]]] = {
    "PreparationSettings.marker_set": _ships("marker_sets", "the one that fits best"),
    "BodySettings.model": _ships("models", "the one that suits the marker set"),
    "InertiaOptions.table": _ships("inertia"),
    "InertiaOptions.torso": _words(TORSO_CHOICES),
    "InertiaOptions.girdle": _girdles,
    "EllipsoidOptions.preset": _ships("ellipsoids"),
    "EllipsoidOptions.rule": _words(RULES),
    "AngleOptions.convention": _conventions,
    "CycleSettings.by": _cycles_by,
    "InverseOptions.method": _words(METHODS),
    "InverseOptions.constraints": _words(CONSTRAINTS),
    "InverseOptions.external": _words(EXTERNAL),
    "InverseOptions.root": _roots,
    "MassOptions.total": _words(TOTALS),
    "MotionOptions.lean": lambda analysis: (Option(None, "nothing"), *_words(("lumbar",))(analysis)),
}


def centre_options() -> dict[str, tuple[Option, ...]]:
    """Joint centre -> its methods, where there is more than one; the model's own comes first."""
    patterns = dict.fromkeys(method.centre for method in CENTRE_METHODS.values())
    own = Option(None, "the model's own")
    return {
        centre: (own, *(Option(method.name, method.title) for method in methods_for(centre)))
        for centre in patterns
        if len(methods_for(centre)) > 1
    }


def centre_label(centre: str) -> str:
    """What the window calls a centre."""
    return CENTRES.get(centre, centre)


# ---------------------------------------------------------------------------------------------------------------- texts
def lines_of(value: Any) -> str:
    """Weights by name, or cut-offs by hand, as lines ``name = number``."""
    if isinstance(value, Mapping):
        return "\n".join(f"{name} = {number:g}" for name, number in value.items())
    return "\n".join(
        f"{one.name} = {' '.join(f'{x:g}' for x in (one.hz if isinstance(one.hz, tuple) else (one.hz,)))}"
        for one in value
    )


def from_lines(key: str, text: str, label: str) -> Any:
    """What lines ``name = number`` mean, or a sentence about the line that means nothing."""
    found: dict[str, tuple[float, ...]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, equals, rest = line.partition("=")
        try:
            values = tuple(float(word.replace(",", ".")) for word in rest.split())
        except ValueError:
            values = ()
        if not equals or not name.strip() or not values:
            raise BiomecError(f'{label}, line {number}: "{line.strip()}" is not of the form name = number.')
        found[name.strip()] = values
    if key == "FilterOptions.manual":
        return tuple(ManualCutoff(name, v if len(v) > 1 else v[0]) for name, v in found.items())
    many = next((name for name, values in found.items() if len(values) > 1), None)
    if many is not None:
        raise BiomecError(f"{label}: {many} has more than one number.")
    return {name: values[0] for name, values in found.items()}


def vector_text(value: tuple[float, float, float] | None, scale: float) -> str:
    """Three numbers as they are shown."""
    return "" if value is None else " ".join(f"{scale * x:g}" for x in value)


def from_vector(text: str, scale: float, label: str, optional: bool) -> tuple[float, float, float] | None:
    """Three numbers that were typed; nothing is None where that is allowed."""
    words = text.replace(";", " ").split()
    if not words and optional:
        return None
    try:
        values = [float(word.replace(",", ".")) / scale for word in words]
    except ValueError:
        values = []
    if len(values) != 3:
        raise BiomecError(f'{label}: "{text.strip()}" is not three numbers X Y Z.')
    return values[0], values[1], values[2]


def default_text(field: Field) -> str:
    """The default of a field in words."""
    value, explained = field.default, field.explained
    if field.kind is Kind.SWITCH:
        return "on" if value else "off"
    if field.kind in (Kind.NUMBER, Kind.WHOLE):
        number = f"{explained.scale * value:.6g}"
        return f"{number} {explained.unit}".strip().replace(" °", "°")
    if field.kind is Kind.CHOICE:
        return next((option.label for option in field.options if option.value == value), str(value))
    if field.kind is Kind.VECTOR:
        return (
            f"{vector_text(value, explained.scale)} {explained.unit}".strip() if value is not None else "the preset's"
        )
    return "none"
