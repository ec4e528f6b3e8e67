"""Names from files become no code: what is written with them is, to its parser, what is written without them."""

import ast
import builtins
import csv
import io
import re
import shutil
import subprocess
import tomllib
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

from biomec.base.plain_text import from_cell, one_line
from biomec.io.csv_table import read_csv, write_csv
from biomec.io.emt import read_emt, write_emt
from biomec.io.label_map_file import describe_label_map
from biomec.machines.machine import load_machine
from biomec.machines.output import curves_table
from biomec.machines.symbolic.machine_equations import machine_equations
from biomec.machines.symbolic.source import to_source
from biomec.machines.symbolic.typeset import mathml
from biomec.pipeline.analysis import Analysis
from biomec.pipeline.replay import python_text, script, settings_line
from biomec.pipeline.settings import AnalysisSettings
from biomec.recording import Analog, Event, Subject
from biomec.recording.label_map import LabelMap
from biomec.reporting.tables import table_text
from tests.core.pipeline.standing import swaying_session
from tests.hostile import HOSTILE

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
EVERY = "\n".join(HOSTILE)
ELEMENTS = {"math", "mrow", "mi", "mn", "mo", "msub", "msup", "msubsup"}


class _Plain(ast.NodeTransformer):
    """Without what texts say."""

    def visit_Constant(self, node):
        return ast.copy_location(ast.Constant("") if isinstance(node.value, str) else node, node)


def shape(text):
    """What a program does, whatever its texts say."""
    return ast.dump(_Plain().visit(ast.parse(text)))


@pytest.fixture(scope="module")
def session():
    return swaying_session(0.2)


def named(session, name):
    """The session with a name wherever a line of the script may quote one."""
    dynamic = replace(session.dynamic, source=replace(session.dynamic.source, name=name))
    return replace(session, dynamic=dynamic, subject=Subject(name, "female", 70.0, 1.75))


@pytest.mark.parametrize("name", HOSTILE)
def test_the_history_as_a_script_quotes_names(session, name):
    """A recording's name with three quotes ended the docstring, and the rest of it was code."""
    before = AnalysisSettings()
    after = replace(before, preparation=replace(before.preparation, marker_set=name))

    def made(name, settings):
        analysis = Analysis(named(session, name), settings)
        return script(analysis, [settings_line(before, settings)], folder=Path("files"))

    plain = replace(before, preparation=replace(before.preparation, marker_set="x"))
    assert shape(made(name, after)) == shape(made("x", plain))
    assert ast.literal_eval(python_text({name: (name, [name])})) == {name: (name, [name])}
    project = script(Analysis(named(session, name)), [], project=Path(f"p{name}"))
    assert shape(project) == shape(script(Analysis(session), [], project=Path("p")))


@pytest.fixture(scope="module")
def equations():
    return machine_equations(load_machine("tied-triple-pendulum"))


def with_names(equations, name):
    """Equations whose coordinates and inputs have a name."""
    coordinates = replace(equations.coordinates, about=tuple(f"{name} [rad]" for _ in equations.coordinates.about))
    return replace(equations, coordinates=coordinates, input_names=tuple(name for _ in equations.input_names))


def source(equations, language, name):
    return to_source(with_names(equations, name), language, title=name)


@pytest.mark.parametrize("name", HOSTILE)
def test_python_of_a_machine_runs_nothing_of_a_name(equations, name):
    text = source(equations, "python", name)
    assert shape(text) == shape(source(equations, "python", "x"))
    exec(compile(text, "machine", "exec"), {})
    assert not hasattr(builtins, "hostile")


@pytest.mark.skipif(CC is None, reason="there is no C compiler on this computer")
@pytest.mark.parametrize("standard", ["c99", "gnu11"])  # the first has trigraphs
def test_c_of_a_machine_is_the_same_program_with_any_name(equations, standard, tmp_path):
    def tokens(name):
        """What the compiler sees once comments are gone."""
        file = tmp_path / "machine.c"
        file.write_text(source(equations, "c", name).replace("#include <math.h>", ""), "utf-8")
        run = [CC, f"-std={standard}", "-E", "-P", "-Wall", "-Werror", str(file)]
        return subprocess.run(run, capture_output=True, text=True, check=True).stdout

    plain = tokens("x")
    for name in (EVERY, *(one for one in HOSTILE if re.search(r"[*/?\\]", one))):
        assert tokens(name) == plain, name
    file = tmp_path / "whole.c"
    file.write_text(source(equations, "c", EVERY), "utf-8")
    subprocess.run([CC, f"-std={standard}", "-fsyntax-only", "-Wall", "-Werror", str(file)], check=True)


@pytest.mark.parametrize("name", HOSTILE)
def test_matlab_of_a_machine_has_names_in_comments_only(equations, name):
    def parts(name):
        lines = source(equations, "matlab", name).splitlines()
        said = [line for line in lines if line.startswith("%")]
        assert not any(re.match(r"\s*[%#][{}]\s*$", line) for line in lines)
        return len(said), [line for line in lines if not line.startswith("%")]

    assert parts(name) == parts("x")


@pytest.mark.parametrize("name", HOSTILE)
def test_latex_of_a_machine_has_the_commands_of_biomec(equations, name):
    allowed = r"\\text(?:backslash|asciitilde|asciicircum|less|greater|bar)\{\}|\\[&%$#_{}]"

    def commands(name):
        text = re.sub(allowed, "", source(equations, "latex", name))
        assert "^^" not in text
        return re.findall(r"\\[A-Za-z]+|[{}$%]", text), len(text.splitlines())

    assert commands(name) == commands("x")


def test_mathml_holds_no_element_of_a_name(equations):
    for name in HOSTILE:
        if name.isprintable():
            page = ET.fromstring(mathml(sp.Symbol(name) + 1, equations))
            assert {one.tag.partition("}")[2] for one in page.iter()} <= ELEMENTS


@pytest.mark.parametrize("name", HOSTILE)
def test_a_mapping_profile_keeps_names(name):
    label = name.strip() or "x"
    read = tomllib.loads(describe_label_map(LabelMap(label, "ior-cast", {label: "C7"}, ("other",))))
    assert (read["name"], read["targets"]) == (label, {label: "C7"})


def is_formula(text):
    return bool(re.match(r"\s*[=+\-@＝＋－＠]", text)) and not re.fullmatch(r"\s*[+-]?[\d.]+(e[+-]?\d+)?\s*", text)


def cells(text):
    """Cells as spreadsheets find them, those with commas and those with semicolons."""
    for mark in ",;":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark):
            yield from row


def test_tables_of_results_have_no_formula():
    made = table_text([*HOSTILE, "number"], [HOSTILE], np.array([[-1.5]]))
    assert not [one for one in cells(made) if is_formula(one)]
    head, row = csv.reader(io.StringIO(made, newline=""))
    assert [from_cell(one) for one in head[:-1]] == [from_cell(one) for one in row[:-1]] == list(map(one_line, HOSTILE))
    assert row[-1] == "-1.5"


def test_curves_of_a_machine_have_no_formula():
    class Curve:
        unit = ""
        values = (-1.0,)

        def __init__(self, name):
            self.name = self.group = self.unit = name

    class Run:
        time_s = (0.0,)
        curves = tuple(map(Curve, HOSTILE))

    assert not [one for one in cells(curves_table(Run())) if is_formula(one)]


def test_a_recording_as_csv_has_no_formula_and_is_read_back(session, tmp_path):
    """The commas of a subject's name and of a unit began cells of their own."""
    trial = session.dynamic
    odd = [name for name in HOSTILE if name.isprintable() and not re.search(r'[,"#:]', name) and name == name.strip()]
    labels = (*odd, *trial.markers.names[len(odd) :])
    assert len(labels) == len(trial.markers.names) > len(odd) > 5
    channels = Analog(("a", "b"), np.zeros((4, 2)), ("V],=1+1", "\n=1+1"), 100.0)
    for name in HOSTILE:
        events = (Event(0.1, name, "General", "x"),)
        made = replace(
            trial, markers=replace(trial.markers, names=labels), analog=channels, subject=Subject(name), events=events
        )
        write_csv(made, tmp_path / "made.csv")
        text = (tmp_path / "made.csv").read_text("utf-8")
        assert not [one for one in cells(text) if is_formula(one)], name
        read = read_csv(tmp_path / "made.csv")
        assert read.markers.names == labels
        assert read.markers.p_WM.tobytes() == trial.markers.p_WM.tobytes()
        assert len(read.analog.names) == 2
        if name.isprintable():
            assert read.events[0].label == name
            assert read.subject.name == name.strip().rstrip(",").strip()


def test_a_unit_adds_no_line_to_an_emt_file(session, tmp_path):
    emg = Analog(("a",), np.zeros((4, 1)), ("mV\nTracks:\t9",), 100.0)
    write_emt(replace(session.dynamic, emg=emg), tmp_path / "emg.emt", tracks="emg")
    read = read_emt(tmp_path / "emg.emt")
    assert (read.analog or read.emg).names == ("a",)
