"""File ▸ Save Without Name: a copy for others, from which the same results are written without the name."""

from dataclasses import replace

import pytest
from numpy.testing import assert_array_equal

from biomec.base.errors import BiomecError
from biomec.base.notices import warning
from biomec.io.project import load_project
from biomec.pipeline.reopen import open_again
from biomec.recording import Subject
from biomec.reporting.files.analysis_files import write_analysis
from biomec_app.session.project_file import save_without_name

TOKEN = "Xanthippe"


def named(analysis):
    """The analysis of a person of that name, with the name in the name of the file and in a notice."""
    session = analysis.session
    source = replace(session.dynamic.source, name=f"{TOKEN}_pushup.emt")
    dynamic = replace(session.dynamic, source=source, notices=(warning("odd", f"{TOKEN}_pushup.emt is odd."),))
    person = replace(session.subject, name=f"{TOKEN} Smith")
    return replace(analysis, session=replace(session, dynamic=dynamic, subject=person))


def test_results_of_the_copy_are_the_same_and_nowhere_tell_the_name(qtbot, context, short_analysis, tmp_path):
    context.document.open(named(short_analysis))
    path = tmp_path / "S01.biomec"
    context.user.ask_text = lambda title, question, start: "S01"
    context.user.ask_file = lambda *_: path
    with qtbot.waitSignal(context.jobs.finished):
        save_without_name(context)
    assert context.document.analysis.session.subject.name == f"{TOKEN} Smith"  # what is open stays
    clean = load_project(path)
    for step, result in short_analysis.stored().results.items():
        for name, array in result.arrays.items():
            assert_array_equal(clean.results[step].arrays[name], array)
    copy = open_again(clean)
    assert_array_equal(copy.angles.values, short_analysis.angles.values)
    write_analysis(copy, tmp_path / "results")
    files = [one for one in (tmp_path / "results").rglob("*") if one.is_file()]
    assert len(files) > 5
    for file in (path, *files):
        content = file.read_bytes().lower()
        assert TOKEN.lower().encode() not in content, file.name
        assert b"smith" not in content, file.name


def test_a_name_of_the_file_that_tells_the_person_is_refused(context, short_analysis, tmp_path):
    context.document.open(named(short_analysis))
    context.user.ask_text = lambda title, question, start: "S01"
    context.user.ask_file = lambda *_: tmp_path / f"{TOKEN}.biomec"
    with pytest.raises(BiomecError, match="tells who"):
        save_without_name(context)
    assert not list(tmp_path.glob("*.biomec"))


def test_nothing_is_saved_without_a_code(context, short_analysis):
    context.document.open(replace(short_analysis, session=replace(short_analysis.session, subject=Subject("A B"))))
    save_without_name(context)
    assert not context.jobs.busy
