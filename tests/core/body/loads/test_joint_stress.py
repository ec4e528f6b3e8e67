import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.loads.joint_stress import KINDS, joint_stress
from biomec.body.loads.newton_euler import newton_euler
from tests.core.body.loads.people import push_up, random_states, truth_of
from tests.core.body.loads.standing_loads import pushed


def stress_of(moving):
    loads = newton_euler(moving.tree, moving.segments, moving.q, moving.external)
    return loads, joint_stress(loads, moving.segments, moving.model.model, moving.model.joint_axes())


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize(
    ("segment", "force", "joint", "kind"),
    [  # forward, up, outward
        ("foot", (0, 100, 0), "ankle", "compression"),
        ("foot", (0, 100, 0), "knee", "compression"),
        ("foot", (0, 100, 0), "hip", "compression"),
        ("foot", (0, -100, 0), "knee", "traction"),  # hanging by the hands, shoes on
        ("foot", (100, 0, 0), "knee", "shear"),
        ("hand", (0, 100, 0), "wrist", "compression"),  # propped on crutches
        ("hand", (0, 100, 0), "elbow", "compression"),
        ("hand", (0, -100, 0), "elbow", "traction"),  # carrying a bag
        ("hand", (0, -100, 0), "radioulnar", "traction"),
        ("hand", (0, 0, -100), "glenohumeral", "compression"),  # hands pushed together
        ("hand", (0, 0, -100), "acromioclavicular", "compression"),
        ("hand", (0, 0, -100), "sternoclavicular", "compression"),
        ("hand", (0, 0, 100), "glenohumeral", "traction"),  # arms pulled apart
        ("hand", (0, 0, 100), "sternoclavicular", "traction"),
        ("hand", (0, -100, 0), "glenohumeral", "shear"),
    ],
)
def test_a_push_in_the_anatomical_position_is_what_it_looks_like(side, segment, force, joint, kind):
    loads, motion, body = pushed(segment, force, (0.0, 0.0, 0.0), joint)
    stress = joint_stress(loads, motion, body.model)
    share = {one: stress.share(one)[0, stress.index(f"{side} {joint}")] for one in KINDS}
    # bones are not quite along the laboratory's axes: clavicle and scapula stand 40° off, cos 45° is the least
    assert share[kind] > 0.7, share
    assert max(share, key=share.__getitem__) == kind


def test_shares_are_sine_and_cosine_of_the_same_angle():
    _, stress = stress_of(random_states("m21").moving)
    total = sum(stress.share(kind) ** 2 for kind in KINDS)
    np.testing.assert_allclose(total, 1.0, rtol=0, atol=1e-14)
    assert ((stress.compression == 0.0) | (stress.traction == 0.0)).all()


def test_the_parts_are_those_of_the_formula():
    moving = random_states("m21").moving
    loads, stress = stress_of(moving)
    R = moving.segments.attitudes["left clavicle"]
    F = loads.force[:, loads.index("left acromioclavicular")]
    k = stress.index("left acromioclavicular")
    lateral = -R[:, :, 2]
    for t in range(len(F)):  # PF = |e × F| / |F| and e · F / |F|
        size = np.linalg.norm(F[t])
        assert stress.share("shear")[t, k] == pytest.approx(np.linalg.norm(np.cross(lateral[t], F[t])) / size)
        along = lateral[t] @ F[t] / size
        assert stress.share("compression" if along > 0.0 else "traction")[t, k] == pytest.approx(abs(along))


def test_only_hinges_have_torque_off_their_axis():
    moving = truth_of(push_up())
    loads, stress = stress_of(moving)
    assert set(stress.hinges) == {f"{s} {j}" for s in ("right", "left") for j in ("elbow", "radioulnar", "knee")}
    for k, joint in enumerate(stress.hinges):
        size = np.linalg.norm(loads.torque[:, loads.index(joint)], axis=1)
        np.testing.assert_allclose(np.hypot(stress.about_axis[:, k], stress.off_axis[:, k]), size, rtol=1e-12)
    j, k = loads.index("right elbow"), stress.hinges.index("right elbow")  # turns about Z of the humerus
    local = np.einsum("tji,tj->ti", moving.segments.attitudes["right humerus"], loads.torque[:, j])
    np.testing.assert_allclose(stress.off_axis[:, k], np.hypot(local[:, 0], local[:, 1]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(stress.about_axis[:, k], local[:, 2], rtol=0, atol=1e-9)


def test_means_are_over_the_frames_that_have_the_kind():
    moving = truth_of(push_up())
    _, stress = stress_of(moving)
    k = stress.index("right elbow")
    traction = [value for value in stress.share("traction")[:, k] if value > 0.0]
    mean, sd = stress.mean_share("traction")
    assert 0 < len(traction) < moving.segments.frames
    assert mean[k] == pytest.approx(np.mean(traction))
    assert sd[k] == pytest.approx(np.std(traction, ddof=1))
    k = stress.index("right glenohumeral")  # never pulled apart in a push-up
    assert np.isnan(mean[k])
    assert np.isnan(sd[k])


def test_wrong_names_are_refused():
    _, stress = stress_of(random_states("m21").moving)
    with pytest.raises(BiomecError, match='no "torsion"'):
        stress.share("torsion")
    with pytest.raises(BiomecError, match="does not say which way the tail is compressed"):
        stress.index("tail")
