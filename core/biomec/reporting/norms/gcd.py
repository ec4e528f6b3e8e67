"""GCD files: one block a variable, "!Name n" and then mean and standard deviation, 51 lines a curve and one a value.

Traps: names are misspelt here and there (StePLength); cadence may count strides a second and lengths millimetres;
KneeValgVar is varus, and FootRotation is the ankle, not the progression of the foot.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.errors import BiomecError
from biomec.base.notices import Notice, info
from biomec.io.text import TextFile, number, read_text
from biomec.reporting.norms.norm import NormAbout, NormCurve, NormParameter, NormSet, clinical_norm

FIRST = "#!DST"
CURVES = {
    "pelvictilt": "pelvis tilt", "pelvicobliquity": "pelvis obliquity", "pelvicrotation": "pelvis rotation",
    "hipflexext": "hip flexion", "hipabadduct": "hip adduction", "hiprotation": "hip rotation",
    "kneeflexext": "knee flexion", "kneevalgvar": "knee adduction", "kneerotation": "knee rotation",
    "dorsiplanflex": "ankle dorsiflexion", "footrotation": "ankle rotation", "footprogression": "foot progression",
    "hipflexextmoment": "hip extensor moment", "hipabadductmoment": "hip abductor moment",
    "hiprotationmoment": "hip rotator moment", "kneeflexextmoment": "knee extensor moment",
    "kneevalgvarmoment": "knee abductor moment", "kneerotationmoment": "knee rotator moment",
    "dorsiplanflexmoment": "ankle plantarflexor moment", "hippower": "hip power", "kneepower": "knee power",
    "anklepower": "ankle power",
}  # fmt: skip
"""Names in small letters, without the side."""
PARAMETERS = {
    "cadence": ("cadence", "steps/min"), "stridetime": ("stride time", "s"), "steptime": ("step time", "s"),
    "stridelength": ("stride length", "m"), "steplength": ("step length", "m"), "stepwidth": ("step width", "m"),
    "footoff": ("foot off", "% cycle"), "oppositefootoff": ("opposite foot off", "% cycle"),
    "oppositefootcontact": ("opposite foot contact", "% cycle"), "speed": ("speed", "m/s"),
    "walkingspeed": ("speed", "m/s"), "singlesupport": ("single support", "s"),
    "doublesupport": ("double support", "s"),
}  # fmt: skip
SIDES = ("left", "right")


def read_gcd(path: Path) -> tuple[NormSet, ...]:
    """Norm of a GCD file; curves of both sides are pooled."""
    text = read_text(path, "GCD")
    if not text.line(1).startswith(FIRST):
        raise text.fault(f"the first line of a GCD file begins with {FIRST}.", 1)
    blocks = _blocks(text)
    curves: dict[str, list[FloatArray]] = {}
    parameters: dict[str, NormParameter] = {}
    unknown = []
    for name, at, values in blocks:
        short = _without_side(name.lower())
        if short in CURVES and len(values) > 1:
            curves.setdefault(CURVES[short], []).append(values)
        elif short in PARAMETERS and len(values) == 1:
            parameters[PARAMETERS[short][0]] = _parameter(short, values[0])
        else:
            unknown.append(name)
        if (values[:, 1] < 0.0).any():
            raise text.fault(f"a standard deviation of {name[:40]} is negative.", at)
    try:
        made = {name: _pooled(name, sides) for name, sides in curves.items()}
    except BiomecError as error:
        raise text.fault(str(error)) from error
    if not made:
        raise text.fault("it holds no curve of a gait cycle with mean and standard deviation that Biomec knows.")
    notices: tuple[Notice, ...] = ()
    if unknown:
        words = f"{text.name}: {len(unknown)} variables are not read: {', '.join(unknown[:6])}."
        notices = (info("norm-left-out", words),)
    about = NormAbout(path.stem, source=f"{text.name} (GCD)", model="Plug-in Gait (assumed: the file states no model)")
    return (NormSet(path.stem, about, made, tuple(parameters.values()), notices=notices),)


def _blocks(text: TextFile) -> list[tuple[str, int, FloatArray]]:
    """Name, line and values (N, 2) of every variable."""
    blocks: list[tuple[str, int, list[tuple[float, float]]]] = []
    reading = False
    for at, line in enumerate(text.lines, 1):
        words = line.split()
        if not words or words[0][0] in "#$":
            reading = reading and not (words and words[0][0] == "$")
        elif words[0][0] == "!":
            blocks.append((words[0][1:], at, []))
            reading = True
        elif reading:
            values = [number(word) for word in words[:2]]
            if len(values) < 2 or None in values:
                raise text.fault(
                    "a norm has two numbers in a line, mean and standard deviation; one alone is a person's curve.",
                    at,
                )
            blocks[-1][2].append((float(values[0] or 0.0), float(values[1] or 0.0)))
    return [(name, at, np.array(rows)) for name, at, rows in blocks if rows]


def _without_side(name: str) -> str:
    return next((name.removeprefix(side) for side in SIDES if name.startswith(side)), name)


def _pooled(name: str, sides: list[FloatArray]) -> NormCurve:
    """Mean of the sides; variance within them and between them: s² = mean of s_k² + variance of the means."""
    if len({len(one) for one in sides}) > 1:
        raise BiomecError(f"{name}: the sides have different numbers of values.")
    means, deviations = (np.array([one[:, k] for one in sides]) for k in (0, 1))
    if not (np.isfinite(means).all() and float(np.abs([means, deviations]).max()) < 1e6):
        raise BiomecError(f"{name}: values beyond ±10⁶ are not a norm.")
    return clinical_norm(name, means.mean(axis=0), np.sqrt((deviations**2).mean(axis=0) + means.var(axis=0)))


def _parameter(short: str, values: FloatArray) -> NormParameter:
    """Value in the usual unit: too large for metres means millimetres, a cadence below 5 strides a second."""
    name, unit = PARAMETERS[short]
    mean, sd = float(values[0]), float(values[1])
    scale = 1.0
    if unit in ("m", "m/s") and abs(mean) > 10.0:
        scale = 1e-3
    elif name == "cadence" and abs(mean) < 5.0:
        scale = 120.0
    elif name.endswith("support") and abs(mean) > 3.0:
        unit = "% cycle"
    return NormParameter(name, unit, scale * mean, scale * sd)
