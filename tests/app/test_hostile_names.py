"""Names from files in what the window writes: lines of the history, the report, pictures, tables, names of files."""

import ast
import csv
import io
import re
import xml.etree.ElementTree as ET
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PySide6.QtCore import QSize

from biomec.base.plain_text import from_cell, one_line
from biomec.recording import Event
from biomec.recording.session import Session
from biomec.reporting.content.report import report_content
from biomec.reporting.statistics.conditions import Place
from biomec.reporting.tables import Section, Table
from biomec_app.curves.catalogue import catalogue
from biomec_app.dialogs.import_plan import ImportPlan, import_line
from biomec_app.features.simulations.runs import delete_line, rename_line, run_line
from biomec_app.features.workbench.results import FigureTable
from biomec_app.figures.export import write_figure
from biomec_app.figures.kind import Column, compose, table_text
from biomec_app.figures.registry import figure_named
from biomec_app.figures.report.page import page
from biomec_app.figures.style import PAPER, new_figure
from biomec_app.kit.sections import section_text
from biomec_app.plots.figure_export import PlotFigure, figure_text
from biomec_app.plots.plot_content import panes
from biomec_app.session.plot_view import PlotView
from biomec_app.viewer.event_lane import change_events
from tests.core.pipeline.standing import swaying_session
from tests.core.test_hostile_names import cells, is_formula, shape
from tests.hostile import HOSTILE, Elements

SVG = "{http://www.w3.org/2000/svg}"
EVERY = " ".join(HOSTILE)


@pytest.fixture(scope="module")
def session() -> Session:
    return swaying_session(0.2)


@pytest.mark.parametrize("name", HOSTILE)
def test_lines_of_the_history_quote_names(session, name):
    from biomec.pipeline.simulation_settings import SimulationSettings

    def lines(name):
        yield rename_line(name, name + "2")
        yield delete_line([name])
        yield run_line(SimulationSettings(name=name), remark=name)
        yield import_line(
            ImportPlan(Path("files") / f"x{name}"), replace(session, subject=replace(session.subject, name=name))
        )

    for made, plain in zip(lines(name), lines("x"), strict=True):
        assert shape(made) == shape(plain)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_comparison_and_events_are_quoted_in_the_history(context, short_analysis, name):
    """The name and the path of a compared project stood between quotes as they were: a quote in them ended the text."""

    def history(name):
        context.document.open(short_analysis)
        context.comparison._change(f"Compare with {name}", [Place(name or "x", Path(f"p{name}"))])
        trial = replace(short_analysis.session.dynamic, events=(Event(0.1, name, "General", "x"),))
        change_events(context.document, name, trial)
        context.document.change(f"Rename to {name}", context.document.analysis)
        return "\n".join(context.document.history)

    text = history(name)
    assert shape(text) == shape(history("x"))
    assert name in {one.value for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Constant)}


def with_names(content, name):
    """The content with a name behind every text."""
    if isinstance(content, str):
        return f"{content}{name}"
    if isinstance(content, tuple):
        return tuple(with_names(one, name) for one in content)
    if is_dataclass(content):
        kept = {one.name: getattr(content, one.name) for one in fields(content) if one.init}
        return replace(content, **{key: with_names(one, name) for key, one in kept.items()})
    return content


def test_the_report_has_the_elements_of_biomec(short_analysis):
    content = report_content(short_analysis)

    def elements(name):
        made = Elements(page(with_names(content, name), {}, missing=f"x{name}")).found
        return [(one[0] if isinstance(one, tuple) else one) for one in made], {
            key for one in made if isinstance(one, tuple) for key in one[1]
        }

    plain = elements("x")
    for name in HOSTILE:
        assert elements(name) == plain, name


def test_tables_for_spreadsheets_have_no_formula(short_analysis):
    (pane,) = panes(catalogue(short_analysis).found(("angle/right elbow flexion",)), PlotView(), short_analysis)
    for name in HOSTILE:
        trace = replace(pane.traces[0], name=name, curve=replace(pane.traces[0].curve, label=name, detail=name))
        made = [
            figure_text([replace(pane, title=name, detail=name, traces=(trace,))]),
            table_text([Column(name, [name, -1.5])]),
            FigureTable((name,), (("key", name, name, (name,)),)).text(","),
        ]
        for text in made:
            assert not [one for one in cells(text) if is_formula(one)], name
        copied = section_text(Section("Title", (), (Table("", (name, "y"), ((name, "−1.5"),)),)))
        rows = [row for row in csv.reader(io.StringIO(copied, newline=""), delimiter="\t") if len(row) == 2]
        assert [from_cell(row[0]) for row in rows] == [one_line(name)] * 2
        assert not is_formula(rows[0][0])


def kinds(drawing: bytes) -> set[str]:
    """Kinds of elements of a drawing."""
    return {one.tag.removeprefix(SVG) for one in ET.fromstring(drawing).iter()}


def test_drawings_hold_no_element_of_a_name(qapp, short_analysis):
    (pane,) = panes(catalogue(short_analysis).found(("angle/right elbow flexion",)), PlotView(), short_analysis)

    def drawn(name):
        named = replace(pane, title=name, detail=name, unit=name)
        figure = PlotFigure([named], PlotView(), QSize(400, 300), picture=False)
        return kinds(figure.svg())

    plain = drawn("x")
    for name in (EVERY, *(one for one in HOSTILE if not one.isprintable() or re.search(r"[<&>]", one))):
        assert drawn(name) == plain, name


@pytest.mark.filterwarnings("ignore:Glyph")  # fonts have no sign for what cannot be printed
def test_figures_take_no_name_for_a_formula(short_analysis):
    """A name with two dollar signs was typeset, or ended the figure with a traceback."""
    kind = figure_named("angles")
    chosen = {choice.key: choice.options[0] for choice in kind.choices(short_analysis)}
    figure = compose(kind, kind.content(short_analysis, chosen), chosen, PAPER, (6.0, 4.0), 40.0)
    for text in figure.findobj(lambda one: hasattr(one, "get_parse_math")):
        assert not text.get_parse_math()
    small = new_figure((3.0, 2.0))
    axes = small.subplots()
    axes.set_title("$\\frac$ and $x$")
    axes.plot([0.0, 1.0], label="$\\nothing{$")
    axes.legend()
    FigureCanvasAgg(small).draw()
    small.text(0.1, 0.1, "".join(one for one in EVERY if one.isprintable() and one.isascii()))
    small.text(0.1, 0.2, "nothing\x0bmore")
    assert not {"script", "img", "b"} & kinds(write_figure(small, "svg"))


@pytest.mark.parametrize("name", ["../../hostile", "/hostile", "..\\hostile", "CON"])
def test_all_of_a_run_is_saved_in_the_folder_that_was_chosen(name, tmp_path):
    """A machine that called itself ../../x was saved two folders up."""
    from types import SimpleNamespace

    from biomec_app.features.workbench import saving

    chosen = tmp_path / "a" / "b" / "chosen"
    chosen.mkdir(parents=True)
    written = []
    user = SimpleNamespace(
        ask_folder=lambda *asked: chosen, show_written=lambda title, files, remarks: written.extend(files)
    )
    run = SimpleNamespace(machine=SimpleNamespace(name=name), study="study")
    parts = dict.fromkeys(one.name for one in fields(saving.Saving)) | {"context": SimpleNamespace(user=user)}
    bench = saving.Saving(**parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(saving, "written_files", lambda run: {"report.txt": "x"})
        patch.setattr(saving.Saving, "_run", run)
        bench.everything()
    (file,) = written
    assert file.resolve().parent.parent == chosen.resolve()
