"""From frames of a recording to a simulated body that follows them, as it was or changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from biomec.base.arrays import FloatArray
from biomec.base.progress import Progress
from biomec.body.tracking.prescribed_loads import PrescribedLoads
from biomec.body.tracking.reference_motion import longest_stretch, reference_motion
from biomec.body.tracking.tracking import Tracking, TrackingOptions, track
from biomec.body.tracking.what_if import WhatIf, changed_loads, changed_system, shoulder_line, strengths
from biomec.engine.forces.external_loads import ExternalLoads, external_loads
from biomec.engine.forward.joint_space import JointSpace
from biomec.engine.system import System


def follow(
    system: System,
    roots: Sequence[str],
    time_s: ArrayLike,
    q: FloatArray,
    external: ExternalLoads,
    options: TrackingOptions = TrackingOptions(),
    what_if: WhatIf = WhatIf(),
    *,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Tracking:
    """Follow coordinates q (T, n) at times (T,) under recorded loads, over the longest stretch without a gap.

    roots : bodies that may be the root, the preferred one first (`joint_tree`)
    """
    times = np.asarray(time_s, dtype=np.float64)
    part = longest_stretch(np.asarray(np.isfinite(q).all(axis=1)))
    space = JointSpace(changed_system(system, what_if), roots)
    loads = changed_loads(external, what_if, shoulder_line(system, q))
    known = external_loads(loads.segments, loads.point[part], loads.force[part], loads.moment[part])
    return track(
        reference_motion(space, times[part], q[part]),
        PrescribedLoads(space, times[part], known) if known.segments else None,
        options,
        strength=strengths(space, what_if),
        progress=progress,
        cancelled=cancelled,
    )
