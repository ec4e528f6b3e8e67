"""What the tree says, without a window."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.pipeline.analysis import ALWAYS, Analysis
from biomec_app.curves.catalogue import catalogue
from biomec_app.shell.tree_content import BAD, CURRENT, DOUBT, STALE, TODO, filtered, tree


def by_key(root):
    return {node.key: node for node in root.walk()}


@pytest.fixture(scope="module")
def nodes(demo_analysis):
    return by_key(tree(demo_analysis))


def test_trials_with_what_they_hold(nodes, demo_analysis):
    trial = demo_analysis.session.dynamic
    assert nodes["recording"].label == trial.source.name
    assert len(nodes["recording/markers"].children) == len(trial.markers.names)
    assert [node.label for node in nodes["recording/plates"].children] == [
        "right hand (Mao_D)", "left hand (Mao_E)", "right foot (Pe_D)", "left foot (Pe_E)",
    ]  # fmt: skip
    assert nodes["recording/marker/AA_D"].meaning == "acromial angle, right"
    assert "direita" in nodes["recording/marker/AA_D"].tip
    assert nodes["signals/Markers/AA_D"].meaning == "acromial angle, right"
    assert len(nodes["recording/emg"].children) == 12
    assert nodes["static"].detail == "static"


def test_markers_tell_how_often_they_were_seen(demo_analysis):
    markers = demo_analysis.session.dynamic.markers
    p = np.array(markers.p_WM)
    p[100:, 3] = np.nan
    session = demo_analysis.session
    dynamic = replace(session.dynamic, markers=replace(markers, p_WM=p))
    name = markers.names[3]
    node = by_key(tree(Analysis(replace(session, dynamic=dynamic))))[f"recording/marker/{name}"]
    assert node.detail == "5 %"  # 100 of 1885 frames
    assert node.state == BAD
    assert node.frame == 100
    assert "First lost in frame 101" in node.tip


def test_the_model_with_what_was_left_out(nodes, demo_analysis):
    assert len(nodes["model/segments"].children) == 21
    assert nodes["model/segment/thorax"].segment == "thorax"
    assert nodes["model/joint/right elbow"].detail == "hinge"
    assert "model/left out" not in nodes


def test_segments_that_are_left_out_say_why(demo_analysis):
    session = demo_analysis.session
    kept = [name for name in session.dynamic.markers.names if not name.startswith(("MC", "CLAB_D", "ER_D", "EU_D"))]
    fewer = replace(session, dynamic=replace(session.dynamic, markers=session.dynamic.markers.select(kept), plates=()))
    analysis = Analysis(fewer, demo_analysis.settings).run_until("body")
    assert analysis.body.person.left_out
    found = by_key(tree(analysis))
    for name, why in analysis.body.person.left_out.items():
        assert found[f"model/left out/{name}"].detail == why
        assert found[f"model/left out/{name}"].state == DOUBT


def test_results_are_up_to_date_or_stale_or_to_come(demo_analysis):
    states = [node.state for node in by_key(tree(demo_analysis))["results"].children]
    assert states == [CURRENT] * len(ALWAYS)
    settings = demo_analysis.settings
    other = replace(settings, angles=replace(settings.angles, subtract_static=not settings.angles.subtract_static))
    changed = by_key(tree(demo_analysis.with_settings(other)))
    assert changed["results/angles"].state == STALE
    assert changed["results/segments"].state == CURRENT
    after = [step.name for step in ALWAYS].index("angles")
    assert changed["results"].detail == f"{len(ALWAYS) - after} out of date"  # a step depends on all before it
    bare = by_key(tree(Analysis(demo_analysis.session)))
    assert bare["results/angles"].state == TODO
    assert bare["model"].state == TODO


def test_every_curve_is_in_the_tree_once(nodes, demo_analysis):
    leaves = [
        node for key, node in nodes.items() if key.startswith("signals/") and node.checkable and not node.children
    ]
    keys = [key for node in leaves for key in node.curves]
    assert sorted(keys) == sorted(curve.key for curve in catalogue(demo_analysis))


def test_what_the_tree_would_plot_exists(nodes, demo_analysis):
    known = catalogue(demo_analysis)
    for key, node in nodes.items():
        for curve in node.curves:
            assert curve in known, f"{key}: {curve}"


def test_signals_are_listed_only_when_they_are_opened(demo_analysis):
    asked = []

    def listing():
        asked.append(1)
        return catalogue(demo_analysis)

    root = tree(demo_analysis, listing)
    signals = root.children[-1]
    assert not asked
    assert signals.children
    assert signals.children[0].children
    assert len(asked) == 1


def test_a_search_keeps_lines_with_all_words(demo_analysis):
    found = filtered(tree(demo_analysis), "right ELBOW flexion")
    labels = [node.label for node in found.walk() if node.curves and not node.children]
    assert "right flexion" in labels
    assert all("left" not in label for label in labels)
    assert filtered(tree(demo_analysis), "no such thing").children == ()
    root = tree(demo_analysis)
    assert filtered(root, "  ") is root
