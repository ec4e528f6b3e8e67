"""Contact of hands and feet fitted to a recording: what it bears in the first frame, and what lies in the air."""

from dataclasses import replace

import numpy as np
import pytest

from biomec.base.errors import BiomecError
from biomec.body.tracking.limb_contact import contact_loads, fitted_contact
from biomec.engine.forces.external_loads import no_loads
from tests.core.body.tracking.followed import followed


@pytest.fixture(scope="module")
def pushing():
    one = followed()
    return one.space.system, one.acquisition.truth.q, one.external


def at_rest(contact, q, frame):
    part = q[frame : frame + 1]
    return contact_loads(contact, part, np.zeros_like(part))


def test_in_the_first_frame_every_segment_bears_what_was_recorded_where_it_was(pushing):
    system, q, external = pushing
    found = at_rest(fitted_contact(system, q, external), q, 0)
    assert set(found.segments) == set(external.segments)
    for k, name in enumerate(found.segments):
        recorded = [j for j, other in enumerate(external.segments) if other == name]
        pressing = external.force[0, recorded, 1]
        force = found.force[0, k]
        np.testing.assert_allclose(force[1], pressing.sum(), rtol=1e-9)
        assert not force[[0, 2]].any()  # at rest nothing rubs
        x, z = found.moment[0, k, 2] / force[1], -found.moment[0, k, 0] / force[1]  # of a vertical force
        centre = pressing @ external.point[0, recorded] / pressing.sum()
        assert np.hypot(x - centre[0], z - centre[2]) < 0.05  # [m]; palms and balls reach beyond their landmarks


def test_a_foot_in_the_air_does_not_touch(pushing):
    system, q, external = pushing
    lifted = np.array(external.force)
    lifted[:, [k for k, name in enumerate(external.segments) if name == "left foot"]] = 0.0
    contact = fitted_contact(system, q, replace(external, force=lifted))
    for frame in (0, len(q) // 2):
        found = at_rest(contact, q, frame)
        assert not found.force[0, found.segments.index("left foot")].any()
    assert found.force[0, found.segments.index("right foot"), 1] > 10.0


def test_nothing_to_stand_on_is_a_sentence(pushing):
    system, q, _ = pushing
    with pytest.raises(BiomecError, match="there are none"):
        fitted_contact(system, q, no_loads(len(q)))
