"""The angles of the shipped models have the sign of their name, on both sides, and stand in the documentation."""

from __future__ import annotations

import re

import numpy as np
import pytest

from biomec.body.anatomy.model import GROUND, STANDARD
from biomec.body.anatomy.model_file import load_model, shipped_models
from biomec.body.kinematics.joint_angles import HINGE, AngleOptions, joint_angles
from biomec.recording.marker_set import Side
from tests.core.body.kinematics.movements import FURTHER_MOVEMENTS, LIMB_MOVEMENTS, TRUNK_MOVEMENTS, direction, turn
from tests.places import DOCS

PAGE = (DOCS / "joint-angles.md").read_text("utf-8")


def known_movement(joint, angle):
    for movement in (*LIMB_MOVEMENTS, *TRUNK_MOVEMENTS, *FURTHER_MOVEMENTS):
        if movement.joint == re.sub("^(right|left) ", "", joint) and movement.angle == angle:
            return movement
    return None


@pytest.mark.parametrize("name", shipped_models())
def test_every_angle_is_positive_in_the_direction_of_its_name(name):
    model = load_model(name)
    unknown = []
    for definition in (one for one in model.angles if one.convention in (STANDARD, "plug-in-gait")):
        static = {segment: np.eye(3) for segment in (definition.proximal, definition.distal) if segment != GROUND}
        for component in definition.components:
            movement = known_movement(definition.joint, component.positive)
            if movement is None:
                unknown.append(f"{definition.joint} {component.positive}")
                continue
            R = turn(direction(movement.start, definition.side), direction(movement.end, definition.side), 0.3)
            attitudes = {segment: still[None] for segment, still in static.items()} | {definition.distal: R[None]}
            axes = {definition.joint: np.eye(3)["XYZ".index("ZXY"[component.index])]}  # used if it is a hinge
            options = AngleOptions(definition.convention)
            result = joint_angles(attitudes, [definition], static=static, axes=axes, options=options)
            for one in definition.components:
                expected = 0.3 if one is component else 0.0
                got = result[f"{definition.joint} {one.positive}"][0]
                assert got == pytest.approx(expected, abs=1e-12), f"{definition.joint} {one.positive}"
            assert definition.sequence != HINGE or not result.notices
    assert unknown == []


@pytest.mark.parametrize("side", Side)
def test_elevation_by_isb_is_positive_whichever_way_the_arm_goes(side):
    model = load_model("m21")
    (definition,) = (d for d in model.angles if d.joint == f"{side} shoulder" and d.convention == "isb")
    static = {definition.proximal: np.eye(3), definition.distal: np.eye(3)}
    for towards, plane in (("outward", 0.0), ("forward", 90.0), ("back", -90.0)):
        R = turn(direction("down", side), direction(towards, side), np.radians(70))
        attitudes = {definition.proximal: np.eye(3)[None], definition.distal: R[None]}
        result = joint_angles(attitudes, [definition], static=static, options=AngleOptions("isb"))
        assert np.degrees(result.values[0]) == pytest.approx([plane, 70.0, -plane], abs=1e-10)


@pytest.mark.parametrize("name", shipped_models())
def test_every_joint_of_a_model_is_in_the_documentation(name):
    rows = {line.split("|")[1].split(",")[0].strip() for line in PAGE.splitlines() if line.startswith("|")}
    joints = {re.sub("^(right|left) ", "", d.joint) for d in load_model(name).angles}
    assert joints <= rows
