"""The norm behind the joint angles of a walk: in our own signs, named, and chosen only if the age is known."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from matplotlib.collections import PolyCollection

from biomec.io.session_import import import_session
from biomec.pipeline.analysis import Analysis
from biomec.reporting.norms.norm_file import shipped_norm
from biomec_app.figures.angles import NO_NORM, AngleFigure
from biomec_app.figures.kind import compose
from biomec_app.figures.style import Ink
from biomec_app.kit.theme import LIGHT
from tests.real_data import recording

CHILDREN = shipped_norm("children-dixon2017")


@pytest.fixture(scope="module")
def child() -> Analysis:
    """A recorded walk, with an age that nobody has stored in it."""
    static = recording("gait_pig_pair", "HC030A01.c3d")
    session = import_session(recording("gait_pig_pair", "HC030A05.c3d"), static=static)
    subject = replace(session.subject, birth_date=date(2001, 5, 1))
    trial = replace(session.dynamic, recorded=date(2012, 5, 2), subject=subject)
    return Analysis(replace(session, dynamic=trial, subject=subject)).run_until("cycles")


def bands(figure):
    """Grey areas of every panel, bottom and top at every per cent."""
    found = []
    for axes in figure.axes:
        areas = [one for one in axes.collections if isinstance(one, PolyCollection)]
        found.append([one.get_paths()[0].vertices for one in areas])
    return found


def drawn(analysis, **chosen):
    kind = AngleFigure()
    options = {one.key: one.options[0] for one in kind.choices(analysis)} | chosen
    content = kind.content(analysis, options)
    return kind.remark(content, options), bands(compose(kind, content, options, Ink(LIGHT), (9.0, 6.0), 60.0)), options


def test_the_norm_of_children_stands_behind_a_child(child):
    remark, found, options = drawn(child)
    assert options["norm"] == CHILDREN.about.title
    assert f"Grey: norm, mean ± SD: {CHILDREN.about.title} (n = 12" in remark
    assert "Band: Plug-in Gait; curve: plug-in-gait." in remark
    assert [len(areas) for areas in found] == [1] * 6  # hip: three angles of two sides, one cycle each
    band = CHILDREN.curves["hip adduction"]
    heights = found[2][0][:, 1]  # second row: abduction, which is positive in ours
    assert heights.min() == pytest.approx(-(band.mean + band.sd).max(), abs=1e-9)
    assert heights.max() == pytest.approx(-(band.mean - band.sd).min(), abs=1e-9)


def test_no_norm_without_an_age_over_time_or_where_it_has_none(child):
    unknown = replace(child, session=replace(child.session, subject=replace(child.session.subject, birth_date=None)))
    remark, found, options = drawn(unknown)
    assert options["norm"] == NO_NORM
    assert "norm" not in remark
    assert not any(found)
    assert not any(drawn(child, shown="Over time")[1])
    remark, found, _ = drawn(child, joint="Elbow")
    assert not any(found)
    assert "norm" not in remark
    assert np.all([len(areas) <= 1 for areas in drawn(child, joint="Knee")[1]])
