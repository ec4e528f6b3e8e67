"""The report of a study: its numbers against formulas, what it cites, and that it tells nobody's name."""

import re
import shutil
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.cli import main
from biomec.recording.clinical_notes import ClinicalNotes, ExcludedCycle
from biomec.reporting.clinical.blocks import LEVEL, Grid, Words
from biomec.reporting.tables import Table
from biomec.study.comparison_tables import SOURCES
from biomec.study.decisions import decide
from biomec.study.report import StudyReportOptions, study_report
from biomec.study.study import Study, open_study
from biomec.study.tables import Clean, which
from biomec.study.trial_cycles import INVALID, TrialCycle, cycles_csv, read_cycles
from tests.core.study.known import CURVE, CYCLES, analysed_known, offset, shape, write_known
from tests.core.study.small import reopened
from tests.places import ROOT

PEOPLE = 4


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Study:
    return analysed_known(write_known(tmp_path_factory.mktemp("report"), PEOPLE, visits=1, first="Alberta"))


@pytest.fixture(scope="module")
def report(study):
    return study_report(study)


def blocks(report, kind):
    return [block for page in report.pages for block in page.blocks if isinstance(block, kind)]


def texts(report):
    """Every text of the report."""
    found = [report.title, report.heading.who]
    for page in report.pages:
        found.append(page.title)
        for block in page.blocks:
            if isinstance(block, Words):
                found += [block.title, *block.sentences]
            elif isinstance(block, Table):
                found += [block.caption, block.note, *block.columns, *(cell for row in block.rows for cell in row)]
            elif isinstance(block, Grid):
                found.append(block.note)
    return found


def person_mean(person, condition):
    heights = [offset(person, condition, cycle, 1) for cycle in range(1, CYCLES[condition] + 1)]
    return np.mean(heights)


def test_group_curves_are_mean_and_sd_over_person_means(report):
    (grid,) = blocks(report, Grid)
    panel = next(one for one in grid.rows[0] if one.name == CURVE)
    assert panel.title == "Right elbow flexion [°]"
    assert [(one.side, one.visit, one.label) for one in panel.courses] == [(LEVEL, 0, "closed"), (LEVEL, 1, "open")]
    for course in panel.courses:
        means = [shape(person_mean(k, course.label), course.label) for k in range(PEOPLE)]
        assert course.names == tuple(f"S{k}" for k in range(PEOPLE))
        # tables keep seven digits of heights below 50: rounding 5e-6
        assert np.allclose(course.mean, np.mean(means, axis=0), atol=1e-5)
        assert np.allclose(course.sd, np.std(means, axis=0, ddof=1), atol=1e-5)
    drawn = np.concatenate([np.r_[one.mean - one.sd, one.mean + one.sd] for one in panel.courses])
    assert panel.low < drawn.min()
    assert drawn.max() < panel.high
    assert next(one for row in grid.rows for one in row if one.name == "nothing").missing


def test_the_comparison_shows_differences_with_intervals(report):
    (table,) = [one for one in blocks(report, Table) if one.caption == "open against closed: angles"]
    (row,) = table.rows  # the curve without numbers is left out
    difference = np.mean([person_mean(k, "open") - person_mean(k, "closed") for k in range(PEOPLE)])
    assert row[0] == "Right elbow flexion [°]"
    assert row[1] == "4"
    assert row[4].startswith(f"{difference:.1f}".replace("-", "−"))
    assert re.search(r"\(−\d+\.\d to −\d+\.\d\)", row[4])
    assert row[-1] == "too few to tell"  # four pairs cannot be tested at 5 % by exchanging signs: p is 1/8 at least
    assert "paired t test" in table.note


def test_what_is_cited_is_listed_in_full_and_is_in_our_references(report):
    (references,) = [one for one in blocks(report, Words) if one.title == "References"]
    cited = {key for text in texts(report) for key in re.findall(r"\[([A-Z]\w+\d{4})\]", text)}
    assert {one.partition("]")[0].lstrip("[") for one in references.sentences} == cited
    known = " ".join((ROOT / "docs" / "references.md").read_text("utf-8").replace("*", "").split())
    for key, words in SOURCES.items():
        assert f"[{key}] {words.removesuffix('.')}" in known


def test_the_report_says_who_was_left_out_and_tells_no_name(tmp_path):
    folder = write_known(tmp_path, 3, visits=1, first="Alberta")
    (folder / "broken.c3d").write_bytes(b"nonsense")
    (folder / "Alberta2" / "v1" / "zcopy.trc").write_bytes((folder / "Alberta0" / "v1" / "open1.trc").read_bytes())
    study = analysed_known(folder)
    decide(study.results, study.named("Alberta0/v1/open1.trc").id, "Alberta0 lost her balance")
    decide(study.results, study.named("Alberta1/v1/open1.trc").id, "looked around", ("both", 31))
    found = study_report(reopened(study))
    rows = [row for one in blocks(found, Table) if one.caption == "Trials that do not count" for row in one.rows]
    assert rows[0][:5] == ("S0", "1", "open", "1", "excluded")
    assert "lost her balance" in rows[0][5]
    assert rows[1][:5] == ("S1", "1", "open", "1", "out of date")
    cycles = [row for one in blocks(found, Table) if one.caption == "Cycles taken out by hand" for row in one.rows]
    assert cycles == [("S1", "1", "open", "1", "both, from frame 31", "looked around")]
    every = "\n".join(texts(found))
    assert "1 could not be read, 1 copies of others" in every
    assert "Alberta" not in every
    assert ".trc" not in every
    assert study.trials[0].day not in every or not study.trials[0].day


def test_conditions_groups_and_warnings_tell_no_name(study):
    """A condition named after a person stood in headings and columns, and warnings named her files."""
    warning = "20150601_Alberta_static.trc is a static of Alberta on another date (2015-06-01)."

    def telling(one):
        name = "Alberta Kahn" if one.subject == "S0" else ""
        condition = "with Kahn" if one.condition == "open" else "shoes/insoles"
        record = replace(one.record, warnings=warning if one.subject == "S0" else "")
        return replace(one, person=name, condition=condition, group="Kahn's", record=record)

    named = replace(study, trials=tuple(map(telling, study.trials)))
    found = study_report(named, StudyReportOptions(levels=("with Kahn", "shoes/insoles")))
    every = texts(found)
    for word in ("Alberta", "Kahn", "2015", ".trc"):
        assert not [text for text in every if word in text]
    assert [one.caption for one in blocks(found, Table) if "against" in one.caption] == [
        "shoes/insoles against with S0: angles"
    ]
    assert "a recording is a static of S0 on another date (a day). (2 trials)" in every
    (design,) = [one for one in blocks(found, Table) if one.caption == "People"]
    assert {row[2] for row in design.rows} == {"S0's"}
    assert design.columns[-2:] == ("shoes/insoles", "with S0")
    assert {cells[2:5:2] for cells in which(named.trials)} == {("S0's", "shoes/insoles"), ("S0's", "with S0")}
    (one,) = study_report(named, StudyReportOptions(words=("nowhere",))).left_out
    assert "Kahn" not in one.reason


def test_folders_that_mean_a_condition_or_group_leave_their_labels(study):
    """A folder "experts, open" would otherwise be taken for a name, and every level be called by a code."""
    trials = [replace(one, group="experts", file=f"experts, {one.condition}/{one.file}") for one in study.trials]
    clean = Clean(trials)
    assert clean.levels(lambda one: one.condition) == {"open": "open", "closed": "closed"}
    assert clean.levels(lambda one: one.group) == {"experts": "experts"}
    two = [replace(one, condition=f"Alberta{k}") for k, one in enumerate(trials[:2])]
    two = [replace(one, person="Alberta0 Alberta1") for one in two]
    assert Clean(two).levels(lambda one: one.condition) == {"Alberta0": "S0", "Alberta1": "S0 2"}


def test_one_level_is_shown_and_not_compared(study):
    found = study_report(study, StudyReportOptions(levels=("open",)))
    assert [one.title for one in found.left_out] == ["Joint angles: comparison"]
    assert "one condition only, open" in found.left_out[0].reason
    assert len(blocks(found, Grid)) == 1


@pytest.mark.parametrize(
    ("cell", "words"), [("both,1", "has 2 of 5 cells"), ("both,1,4,x,", "could not convert string to float")]
)
def test_a_table_edited_by_hand_is_left_out_with_a_sentence(study, tmp_path, cell, words):
    """A line cut short in one angles.csv ended report and command in an IndexError."""
    copied = tmp_path / "study"
    shutil.copytree(study.folder, copied)
    damaged = open_study(copied)
    path = damaged.folder_of(damaged.trials[0]) / "angles.csv"
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines[:5], cell, *lines[6:]]) + "\n", encoding="utf-8")
    (left_out,) = study_report(damaged).left_out
    assert "a table of S0, visit 1, closed 1 cannot be read" in left_out.reason
    assert words in left_out.reason
    assert "Alberta" not in left_out.reason


def test_a_study_without_results_has_no_report(tmp_path):
    with pytest.raises(BiomecError, match="nothing to report"):
        study_report(open_study(write_known(tmp_path, 1, visits=1)))


def test_the_command_writes_the_report_and_overwrites_nothing(study, tmp_path, capsys):
    out = tmp_path / "report.xlsx"
    asked = ["study", "report", str(study.folder), "-o", str(out)]
    assert main(asked) == 0
    with zipfile.ZipFile(out) as book:
        content = "".join(book.read(name).decode("utf-8", "replace") for name in book.namelist())
    assert "right elbow flexion, open, S0" in content  # a person has a column, not "cycle 1"
    assert "Hedges" in content
    before = out.read_bytes()
    assert main(asked) != 0
    assert "was not overwritten" in capsys.readouterr().err
    assert out.read_bytes() == before
    assert main([*asked[:-1], str(tmp_path / "moves.interactive.html")]) != 0
    assert "is written as .pdf, .html, .docx, .xlsx" in capsys.readouterr().err


def test_cycles_of_a_trial_are_written_with_those_that_do_not_count(tmp_path):
    """Frames count as in the file, which begins at 101; times from the start of the recording, at 50 Hz."""
    cycles = SimpleNamespace(spans=np.array([[10, 60], [60, 110], [110, 150]]), valid=np.array([False, True, False]))
    notes = ClinicalNotes(excluded_cycles=(ExcludedCycle("right", 111, "looked around"),))
    analysis = SimpleNamespace(
        session=SimpleNamespace(dynamic=SimpleNamespace(first_frame=101), notes=notes),
        signals=SimpleNamespace(trial=SimpleNamespace(rate_hz=50.0)),
        cycles=SimpleNamespace(groups={"Right": cycles}),
    )
    (tmp_path / "cycles.csv").write_text(cycles_csv(analysis))
    assert read_cycles(tmp_path) == (
        TrialCycle("right", 1, 111, 161, 0.2, 1.2, False, "looked around"),
        TrialCycle("right", 2, 161, 211, 1.2, 2.2, True),
        TrialCycle("right", 3, 211, 251, 2.2, 3.0, False, INVALID),
    )
    assert read_cycles(tmp_path / "nowhere") == ()
    (tmp_path / "cycles.csv").write_text("side\nright,x\n")
    with pytest.raises(BiomecError, match="Analyse it again"):
        read_cycles(tmp_path)
