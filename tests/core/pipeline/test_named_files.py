"""A project that names files outside it: nothing is read from there unasked."""

from dataclasses import fields, is_dataclass, replace

import pytest

from biomec.base.errors import BiomecError
from biomec.base.plain_types import restored
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.reopen import NOT_READ, files_asked_for, reopened
from biomec.pipeline.replay import script
from biomec.pipeline.settings import AnalysisSettings, BodySettings, PreparationSettings
from biomec.recording import Session, Source
from biomec.recording.step import plain_data
from biomec.signals.emg_muscles import EmgReading
from tests.core.recording.examples import full_trial

SETTINGS = AnalysisSettings(
    preparation=PreparationSettings(marker_set="/etc/secret.toml"),
    body=BodySettings(model="//server/share/a.toml"),
    emg=EmgReading(muscles="../other.toml"),
)


def test_settings_of_a_project_open_no_file_unasked():
    stored = Session(full_trial(), settings={"analysis": plain_data(SETTINGS), "steps": ("preparation",)})
    assert files_asked_for(stored) == ("/etc/secret.toml", "//server/share/a.toml", "../other.toml")
    closed = reopened(stored)
    assert (closed.analysis.settings, closed.steps) == (AnalysisSettings(), ())
    assert NOT_READ in [notice.code for notice in closed.analysis.session.notices]
    opened = reopened(stored, files=True)
    assert (opened.analysis.settings, opened.steps) == (SETTINGS, ("preparation",))


def with_file(options, path, name):
    """Options with a name in one of their fields."""
    first, *rest = path
    value = with_file(getattr(options, first), rest, name) if rest else name
    return replace(options, **{first: value})


def texts(options, above=()):
    """Paths of all fields that hold a text, or may."""
    for one in fields(options):
        value = getattr(options, one.name)
        if is_dataclass(value):
            yield from texts(value, (*above, one.name))
        elif isinstance(value, str) or value is None:
            yield (*above, one.name)


@pytest.mark.parametrize("path", list(texts(AnalysisSettings())), ids=".".join)
def test_no_field_of_the_settings_names_a_file_unasked(path):
    """Tables of inertia, ellipsoids and sets of muscles were read from wherever the project said."""
    try:
        named = with_file(AnalysisSettings(), path, "/etc/secret.toml")
    except (BiomecError, TypeError, ValueError):
        return  # this field takes no such text
    stored = Session(full_trial(), settings={"analysis": plain_data(named), "steps": ("preparation",)})
    closed = reopened(stored)
    assert closed.analysis.settings == AnalysisSettings()
    if restored(AnalysisSettings, plain_data(named))[0] == named:  # otherwise the text does not fit the field
        assert files_asked_for(stored) == ("/etc/secret.toml",)
        assert closed.steps == ()


HOSTILE = (
    '""" + print("x") + """',
    '"""\nimport os\n"""',
    "a\nimport os",
    "a\rimport os",
    "a\u2028b\x0c\x00",
    "ok.c3d",
)


@pytest.mark.parametrize("name", HOSTILE)
def test_the_name_of_a_recording_never_becomes_code(name):
    """The history put the name into a docstring, where quotes ended it."""
    trial = full_trial()
    analysis = Analysis(Session(replace(trial, source=Source(name, "C3D", trial.source.sha256, 1))))
    usual = script(Analysis(Session(replace(trial, source=Source("usual", "C3D", trial.source.sha256, 1)))), [])
    text = script(analysis, [])
    assert len(text.split("\n")) == len(usual.split("\n"))
    assert "\nimport os" not in text
    assert text.startswith("# Made by")
