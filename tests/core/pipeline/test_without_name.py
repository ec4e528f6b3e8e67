"""A project without the name tells nowhere who the person is, and all its numbers are the same."""

import os
from dataclasses import fields, is_dataclass, replace
from datetime import date
from enum import Enum

import h5py
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from biomec.base.errors import BiomecError
from biomec.base.notices import warning
from biomec.cli import main
from biomec.io.project import BLOCK, load_project, save_project
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.without_name import without_name
from biomec.recording import ClinicalNotes, ExcludedCycle, Original, Record, Result, Session, Source, Subject
from biomec.recording.step import plain_data
from tests.core.io.trials import walk

TOKEN = "Xanthippe"
BORN = date(1987, 5, 3)


def planted(value):
    """The same with a word in every text that may be any text, keys of tables included; and how many there are."""
    if isinstance(value, Enum):
        return value, 0
    if isinstance(value, str):
        return f"{value} {TOKEN}", 1
    if isinstance(value, dict) or hasattr(value, "items"):
        pairs = [(planted(key), planted(item)) for key, item in value.items()]
        return {key: item for (key, _), (item, _) in pairs}, sum(a + b for (_, a), (_, b) in pairs)
    if isinstance(value, (tuple, list)):
        parts = [planted(item) for item in value]
        return tuple(part for part, _ in parts), sum(count for _, count in parts)
    if not is_dataclass(value):
        return value, 0
    total = 0
    for one in fields(value):
        part, count = planted(getattr(value, one.name))
        try:
            value, total = replace(value, **{one.name: part}), total + count
        except (BiomecError, ValueError, KeyError):  # sex, axes, measures: texts that are not free
            continue
    return value, total


def everything():
    trial = walk()
    trial = replace(
        trial, subject=Subject("Maria", "female", 61.0, 1.7, BORN), recorded=date(2024, 2, 9),
        other_subjects={"Rui": replace(trial.markers, names=tuple(f"o{k}" for k in range(len(trial.markers.names))))},
        notices=(warning("odd", "Something in /home/maria/data/walk 7.c3d is odd.", "RASI"),),
    )  # fmt: skip
    content = f"file of {TOKEN}".encode()
    return Session(
        trial,
        trial,
        subject=trial.subject,
        recorded=date(2024, 2, 9),
        settings={"note": "text", "inner": {"deep": ["a", {"b": "c"}], "number": 3.5}},
        results={"own": Result({"values": np.arange(6.0).reshape(2, 3)}, {"names": ["a", "b"], "notices": []})},
        provenance=(
            Record("import", "2024-02-09T10:00:00Z", "0.2", {"files": {"dynamic": "walk.c3d"}}, {"dynamic": "ab"}),
            Record("own", "2024-02-10T10:00:00Z", "0.2", {"fingerprint": "cd", "birth_date": "1987-05-03"}),
        ),
        originals=(Original(Source.of_bytes(f"{TOKEN}.c3d", "C3D", content), content),),
        notices=(warning("told", "Something was told."),),
    )


def stored_bytes(path):
    """Everything in a project file: its bytes, and names, attributes and contents as HDF5 gives them out."""
    parts = [path.read_bytes()]
    with h5py.File(path, "r") as file:

        def visit(name, item):
            parts.append(name.encode())
            parts.extend(f"{key} {value}".encode() for key, value in item.attrs.items())
            if isinstance(item, h5py.Dataset):
                parts.append(np.asarray(item[()]).tobytes())

        file.visititems(visit)
    return b"\n".join(parts)


def arrays(path):
    found = {}
    with h5py.File(path, "r") as file:
        file.visititems(
            lambda name, item: (
                found.update({name: item[()]})
                if isinstance(item, h5py.Dataset) and not name.endswith("json") and not name.startswith("originals")
                else None
            )
        )
    return found


def test_a_word_planted_in_every_text_is_nowhere_in_the_file(tmp_path):
    session, count = planted(everything())
    assert count > 60
    save_project(session, tmp_path / "with.biomec")
    assert TOKEN.encode() in stored_bytes(tmp_path / "with.biomec")
    save_project(without_name(session, "S01"), tmp_path / "without.biomec")
    found = stored_bytes(tmp_path / "without.biomec").lower()
    for telling in (TOKEN, "maria", "rui", "1987-05", "2024-02-09", "walk 7", "abab"):
        assert telling.lower().encode() not in found, telling
    before, after = arrays(tmp_path / "with.biomec"), arrays(tmp_path / "without.biomec")
    assert len(before) == len(after) > 10
    for (_, one), (_, other) in zip(sorted(before.items()), sorted(after.items()), strict=True):
        assert_array_equal(one, other)
    clean = load_project(tmp_path / "without.biomec")
    assert clean.subject == Subject("S01", "female", 61.0, 1.7)
    assert clean.recorded is None
    assert clean.originals == ()
    assert clean.dynamic.source.name.startswith("S01")
    assert clean.settings["inner S01"]["number S01"] == 3.5


@pytest.mark.parametrize("text", [
    "MariaSilva_walk", "maria_silva", "SILVA, Maria", "by Silva.", "/home/msilva/Silva/own.toml", "03.05.1987",
    r"C:\Users\Silva\own.toml", "silva2:RASI",
])  # fmt: skip
def test_forms_of_a_name_are_found(text):
    session = Session(walk(), subject=Subject("Maria Silva", birth_date=BORN), settings={"note": text})
    note = without_name(session).settings["note"].lower()
    assert "silva" not in note
    assert "maria" not in note
    assert "1987" not in note


def test_words_that_only_look_like_the_name_stay():
    """A person called Stan Hand has hands, and stands."""
    settings = plain_data(AnalysisSettings())
    trial = replace(walk(), notices=(warning("odd", "Stan Hand: the standing hand of Hand."),))
    labels = ("standing", "left hand", "constant", "StanHand", "Stan")
    session = Session(trial, subject=Subject("Stan Hand"), settings={"analysis": settings, "labels": labels})
    clean = without_name(session)
    assert clean.settings["labels"] == ("standing", "left hand", "constant", "subject", "subject")
    assert clean.settings["analysis"] == session.settings["analysis"]
    assert clean.dynamic.notices[0].sentence == "subject: the standing subject of subject."


def test_a_code_that_holds_the_name_is_refused():
    session = Session(walk(), subject=Subject("Maria Silva"))
    for code in ("Silva1", "maria", " ", ""):
        with pytest.raises(BiomecError, match="cannot stand for the person"):
            without_name(session, code)


def test_results_that_were_out_of_date_are_known_again():
    """What they were made from is found by a fingerprint, and the name is part of that."""
    session = replace(everything(), results={}, provenance=())
    analysis = Analysis(session)
    made_of = {
        "measured": session.fingerprint, "settings": plain_data(analysis.settings),
        "subject": {"name": "Maria", "sex": "female", "mass_kg": 61.0, "height_m": 1.7, "birth_date": "1987-05-03",
                    "measures": {}},
        "events": plain_data(session.dynamic.events), "dismissed_events": [],
    }  # fmt: skip
    session = replace(session, provenance=(Record("signals", "", "0.2", {"made_of": made_of}),))
    clean = without_name(session)
    assert clean.provenance[0].settings["made_of"]["measured"] == clean.fingerprint != session.fingerprint
    assert clean.provenance[0].settings["made_of"]["subject"]["birth_date"] is None


def test_the_command_line_writes_projects_and_recordings_without_name(tmp_path, capsys):
    session = everything()
    save_project(session, tmp_path / "maria.biomec")
    assert main(["convert", str(tmp_path / "maria.biomec"), str(tmp_path / "maria2.biomec"), "--without-name"]) == 1
    assert "tells who" in capsys.readouterr().err
    words = ["--without-name", "--code", "S01", "--take-out", "RASI"]
    for name in ("one.biomec", "one.c3d", "one.csv", "one.mat"):
        assert main(["convert", str(tmp_path / "maria.biomec"), str(tmp_path / name), *words]) == 0
        written = b"".join(path.read_bytes() for path in tmp_path.glob(f"{name[:-4]}*") if path.name != "maria.biomec")
        assert b"maria" not in written.lower()
    assert list(load_project(tmp_path / "one.biomec").results) == ["own"]
    assert os.stat(tmp_path / "one.biomec").st_size > BLOCK


def test_what_the_clinician_wrote_stays_without_names():
    notes = ClinicalNotes(
        identifier="P-0042", laboratory="Gait laboratory", examiner="Ana Lima", referrer="Dr. Costa",
        signature="A. Lima", condition="barefoot",
        findings="Maria Silva (P-0042, born 03.05.1987) walks in crouch.\nCosta asks again.",
        excluded="Silva stumbled", excluded_cycles=(ExcludedCycle("left", 12, "Lima walked in"),),
    )  # fmt: skip
    session = Session(walk(), subject=Subject("Maria Silva", birth_date=BORN), notes=notes)
    clean = without_name(session, "S01").notes
    assert clean == ClinicalNotes(
        condition="barefoot", findings="S01 (S01, born S01) walks in crouch.\nS01 asks again.",
        excluded="S01 stumbled", excluded_cycles=(ExcludedCycle("left", 12, "S01 walked in"),),
    )  # fmt: skip
