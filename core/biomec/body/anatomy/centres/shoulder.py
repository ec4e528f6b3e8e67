"""Glenohumeral joint centre, from the scapula or, where there is no scapula, from acromion and trunk.

The acromion of the trunk-based methods is the landmark AC. All were made for bony points; no marker radius comes off.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.body.anatomy.centres.method import CentreMethod, Given, centre_method
from biomec.body.anatomy.centres.trunk import THORAX, UpperTrunk
from biomec.engine.rotations import unit


def scapula_axes(given: Given) -> FloatArray:
    """Axes x, y, z (..., 3, 3; columns) of the regressions on the scapula, with origin AC      [Meskers1998]

    x = n(AC − TE)  outwards;   z = n(x × (AC − AI))  backwards;   y = z × x  up.  On the left z is reversed once y is
    built, so that the coordinates are those of the mirrored, right scapula.
    """
    AC = given.point("AC_*")
    x = unit(AC - given.point("TE_*"))
    z = unit(np.cross(x, AC - given.point("AI_*")))
    return np.stack([x, np.cross(z, x), given.outward * z], axis=-1)


def shoulder_meskers_1998(given: Given) -> FloatArray:
    """Linear regression on five points of the scapula, in the frame of `scapula_axes` [mm]      [Meskers1998]

    GUx = 18.9743 + 0.2434 PCORx + 0.2341 AIx + 0.1590 ‖AI − AA‖ + 0.0558 PCORy
    GUy = −3.8791 − 0.1002 ‖AC − PCOR‖ + 0.1732 PCORy − 0.3940 ‖AC − AA‖ + 0.1205 AIx
    GUz =  9.2629 − 0.2403 PCORy + 1.0255 PCORz + 0.1720 ‖TE − PCOR‖
    """
    axes, AC = scapula_axes(given), given.point("AC_*")
    AI, AA, TE, PCOR = (_millimetres(axes, given.point(name) - AC) for name in ("AI_*", "AA_*", "TE_*", "PCOR_*"))
    x = 18.9743 + 0.2434 * PCOR[..., 0] + 0.2341 * AI[..., 0] + 0.1590 * _length(AI - AA) + 0.0558 * PCOR[..., 1]
    y = -3.8791 - 0.1002 * _length(PCOR) + 0.1732 * PCOR[..., 1] - 0.3940 * _length(AA) + 0.1205 * AI[..., 0]
    z = 9.2629 - 0.2403 * PCOR[..., 1] + 1.0255 * PCOR[..., 2] + 0.1720 * _length(TE - PCOR)
    return np.asarray(AC + 1e-3 * np.einsum("...ij,...j->...i", axes, np.stack([x, y, z], axis=-1)))


def shoulder_without_coracoid(given: Given) -> FloatArray:
    """Regression without the coracoid process, from the middle of AC and AA along `scapula_axes` [Meskers1998], in mm.

    With a = ‖AC − TE‖ and b = ‖AC − AI‖:
    x = 9.8 − 0.399 a + 0.223 b;   y = −69.6 + 0.731 a − 0.277 b;   z = −2.7 − 0.297 a + 0.065 b

    It circulates in programs of shoulder laboratories without a published source, and with differing signs; of these
    readings the one here comes nearest to a published shoulder model. A substitute, not a first choice.
    """
    AC = given.point("AC_*")
    a, b = (1e3 * _length(AC - given.point(name)) for name in ("TE_*", "AI_*"))
    local = np.stack(
        [
            9.8 - 0.399 * a + 0.223 * b,
            -69.6 + 0.731 * a - 0.277 * b,
            -2.7 - 0.297 * a + 0.065 * b,
        ],
        axis=-1,
    )
    return np.asarray(given.mid("AC_*", "AA_*") + 1e-3 * np.einsum("...ij,...j->...i", scapula_axes(given), local))


def shoulder_dumas(male: tuple[float, float], female: tuple[float, float], given: Given) -> FloatArray:
    """AC + κ tw (cos θ x + sin θ y), axes and tw of the upper trunk; (κ, θ°) by sex      [Dumas2007], [Dumas2018]

    2007: (0.43, −11°) and (0.53, −5°), to go with the inertia of 2007. 2018: (0.33, −11°) and (0.36, −5°).
    """
    return given.point("AC_*") + UpperTrunk.of(given).offset(*(male if given.is_male else female))


def shoulder_rab_2002(given: Given) -> FloatArray:
    """0.17 of the distance between the acromia below the acromion, along the long axis of the trunk      [Rab2002]

    The long axis runs from the middle of PX and T8 to the middle of IJ and C7.
    """
    up = unit(given.mid("IJ", "C7") - given.mid("PX", "T8"))
    between = np.linalg.norm(given.point("AC_D") - given.point("AC_E"), axis=-1, keepdims=True)
    return np.asarray(given.point("AC_*") - 0.17 * between * up)


def shoulder_reed_1999(given: Given) -> FloatArray:
    """AC + 0.42 tw, turned 67° downwards from the direction C7 → IJ in the sagittal plane      [Reed1999]"""
    return given.point("AC_*") + UpperTrunk.of(given).offset(0.42, -67.0)


def _millimetres(axes: FloatArray, vector: FloatArray) -> FloatArray:
    """Coordinates (..., 3) [mm] of a vector [m] along the axes (..., 3, 3; columns)."""
    return np.asarray(1e3 * np.einsum("...ji,...j->...i", axes, vector))


def _length(vector: FloatArray) -> FloatArray:
    return np.asarray(np.linalg.norm(vector, axis=-1))


METHODS: tuple[CentreMethod, ...] = (
    centre_method("shoulder-meskers-1998", "GU_*", "Meskers1998", ("AC_*", "AA_*", "TE_*", "AI_*", "PCOR_*"),
                  shoulder_meskers_1998, "Meskers 1998, five points of the scapula"),
    centre_method("shoulder-without-coracoid", "GU_*", "Meskers1998", ("AC_*", "AA_*", "TE_*", "AI_*"),
                  shoulder_without_coracoid, "Scapula without coracoid process (source not published)"),
    centre_method("shoulder-dumas-2007", "GU_*", "Dumas2007", ("AC_*", *THORAX),
                  partial(shoulder_dumas, (0.43, -11.0), (0.53, -5.0)),
                  "Dumas 2007, acromion, depth of the upper trunk and sex", ("sex",)),
    centre_method("shoulder-dumas-2018", "GU_*", "Dumas2018", ("AC_*", *THORAX),
                  partial(shoulder_dumas, (0.33, -11.0), (0.36, -5.0)),
                  "Dumas and Wojtusch 2018, acromion, depth of the upper trunk and sex", ("sex",)),
    centre_method("shoulder-rab-2002", "GU_*", "Rab2002", ("AC_D", "AC_E", *THORAX, "PX"), shoulder_rab_2002,
                  "Rab 2002, distance between the acromia"),
    centre_method("shoulder-reed-1999", "GU_*", "Reed1999", ("AC_*", *THORAX), shoulder_reed_1999,
                  "Reed 1999, acromion and depth of the upper trunk"),
)  # fmt: skip
