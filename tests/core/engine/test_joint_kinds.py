"""The table of joint kinds: complete, true to the classes, and with an example and a line of documentation for each."""

import inspect
from dataclasses import fields

import numpy as np
import pytest

from biomec.engine import joints
from biomec.engine.description import JOINTS
from biomec.engine.driven_motion import assemble
from biomec.engine.joint_kinds import JOINT_KINDS, TREE_KINDS, PlanarForm, kind_of, planar_form, symbol_of
from tests.core.engine.examples import CONSTRAINT_EXAMPLES
from tests.places import DOCS


def test_every_joint_class_is_an_entry():
    classes = {
        one for _, one in inspect.getmembers(joints, inspect.isclass)
        if one.__module__ == joints.__name__ and hasattr(one, "rows") and not getattr(one, "_is_protocol", False)
    }  # fmt: skip
    assert {kind.type for kind in JOINT_KINDS.values()} == classes
    assert set(JOINTS) == set(JOINT_KINDS)


@pytest.mark.parametrize("key", JOINT_KINDS)
def test_an_entry_tells_the_truth_about_its_class(key):
    kind = JOINT_KINDS[key]
    system = CONSTRAINT_EXAMPLES[key]()
    (example,) = system.constraints
    assert kind_of(example) is kind
    rows = [r for r, row in enumerate(system.rows) if row.type != "rigid"]
    jacobian = system.jacobian(assemble(system, system.reference).q[0])
    ranks = [np.linalg.matrix_rank(one, tol=1e-6) for one in (jacobian, np.delete(jacobian, rows, axis=0))]
    assert kind.freedoms == 6 - (ranks[0] - ranks[1])
    assert {name for name, _ in kind.numbers} <= {one.name for one in fields(kind.type)}
    assert f"`{key}`" in (DOCS / "mechanism-files.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", TREE_KINDS)
def test_a_person_can_have_the_joints_of_a_tree(key):
    (joint,) = CONSTRAINT_EXAMPLES[key]().constraints
    kind = TREE_KINDS[key]
    assert len(joint.turning) == len(kind.axes)
    assert kind.freedoms == {0: 3, 1: 1, 2: 2}[len(kind.axes)]  # all that the tree recursion can turn
    assert f"`{key}`" in (DOCS / "models.md").read_text(encoding="utf-8")


def test_a_joint_of_the_plane_has_an_example_there_and_one_of_space_is_refused():
    for key in ("revolute", "prismatic", "weld"):
        (joint,) = CONSTRAINT_EXAMPLES[f"planar {key}"]().constraints
        assert isinstance(planar_form(joint), PlanarForm)
    assert planar_form(object()) is None
    assert symbol_of(object()) == ""
