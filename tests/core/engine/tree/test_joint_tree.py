import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.engine.body import Body
from biomec.engine.joints import Distance, Spherical
from biomec.engine.system import System
from biomec.engine.tree.joint_tree import joint_tree
from tests.core.body.loads.people import person


def bodies(*names: str) -> list[Body]:
    ends = {"a": np.zeros(3), "b": np.array([0.0, 1.0, 0.0]), "c": np.array([1.0, 0.0, 0.0])}
    return [Body(name, ends, ("a", "x", "y", "z"), mass=1.0, inertia=np.eye(3)) for name in names]


def test_the_root_is_the_thorax_or_the_pelvis_where_there_are_only_legs():
    for model, root in (("m21", "thorax"), ("m17", "thorax"), ("legs", "pelvis")):
        tree = joint_tree(person(model).system, person(model).model.roots)
        assert tree.system.bodies[tree.root].name == root
        assert len(tree.joints) == len(tree.system.bodies) - 1


def test_a_joint_comes_after_all_that_hang_on_it():
    tree = joint_tree(person("m21").system, ("pelvis",))
    for k, joint in enumerate(tree.joints):
        assert all(other.parent != joint.child for other in tree.joints[k + 1 :])
    flipped = [joint.name for joint in tree.joints if joint.sign < 0.0]
    assert flipped == ["lumbar"]


def test_what_is_no_tree_is_refused_with_a_sentence():
    a, b, c = bodies("arm", "bar", "cap")
    with pytest.raises(BiomecError, match=r"no joint leads from the arm to cap\. Add markers"):
        joint_tree(System([a, b, c], [Spherical("j", "arm.b", "bar.a")]))
    with pytest.raises(BiomecError, match="closes a loop"):
        joint_tree(System([a, b], [Spherical("j", "arm.b", "bar.a"), Spherical("k", "arm.c", "bar.c")]))
    with pytest.raises(BiomecError, match="not for rod"):
        joint_tree(System([a, b], [Spherical("j", "arm.b", "bar.a"), Distance("rod", "arm.a", "bar.b")]))
    with pytest.raises(BiomecError, match="joined to the ground"):
        joint_tree(System([a], [Spherical("j", "ground.origin", "arm.a")]))
