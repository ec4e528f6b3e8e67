"""The analog channels of a C3D file: scale and offset, unit, and which of them are EMG."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from biomec.base.arrays import FloatArray, IntArray
from biomec.base.notices import Notice, warning
from biomec.io.c3d.parameters import INTEGER, Parameters
from biomec.io.labels import unique_names

# Unit as written in files, without blanks, dots and case -> factor and SI unit.
SI_UNITS = {
    "v": (1.0, "V"),
    "volt": (1.0, "V"),
    "volts": (1.0, "V"),
    "mv": (1e-3, "V"),
    "uv": (1e-6, "V"),
    "µv": (1e-6, "V"),
    "μv": (1e-6, "V"),
    "n": (1.0, "N"),
    "kn": (1e3, "N"),
    "nm": (1.0, "N m"),
    "ncm": (1e-2, "N m"),
    "nmm": (1e-3, "N m"),
    "m": (1.0, "m"),
    "cm": (1e-2, "m"),
    "mm": (1e-3, "m"),
    "deg": (np.pi / 180.0, "rad"),
    "deg/s": (np.pi / 180.0, "rad/s"),
    "rad": (1.0, "rad"),
    "rad/s": (1.0, "rad/s"),
    "m/s2": (1.0, "m/s²"),
    "m/s²": (1.0, "m/s²"),
    "m/s^2": (1.0, "m/s²"),
    "mm/s2": (1e-3, "m/s²"),
    "mm/s²": (1e-3, "m/s²"),
    "mm/s^2": (1e-3, "m/s²"),
}
MUSCLES = re.compile(
    r"emg|rect(us)?\b|rec(tus)? ?fem|\bvast|\bham(s|string)?|bic(eps)?\b|semi(ten|mem)|gast|soleus|\btib(ialis)?[ _.]?"
    r"(ant|post)|peron|fibularis|glut|adductor|iliopsoas|delt(oid)?\b|trapez|pector|latissimus|tricep|bicep|brachio|"
    r"erector|obliq|infraspin|supraspin|serratus|sternocleid",
    re.IGNORECASE,
)
SIDE_AND_MUSCLE = re.compile(
    r"[RL][_ ]?(RF|VL|VM|VI|ST|SM|BF|TA|TP|GL|GM|GA|GC|PE|PL|SO|SOL|GMED|GMAX|AD)", re.IGNORECASE
)
"""Whole label of side and muscle, such as R_RF; so short that only a voltage is believed to be EMG by it."""


@dataclass(frozen=True, eq=False)
class Channels:
    """All analog channels: names as in the file, and what turns a stored number into its value.

    value = (stored − offset) × gain, in ``units``
    """

    names: tuple[str, ...]
    descriptions: tuple[str, ...]
    units: tuple[str, ...]
    gain: FloatArray
    offset: FloatArray
    unsigned: bool
    notices: tuple[Notice, ...]


def si_unit(unit: str) -> tuple[float, str]:
    """Factor to SI and the SI unit; a unit that is not understood stays as it is."""
    key = re.sub(r"[\s.·*-]", "", unit).lower()
    return SI_UNITS.get(key, (1.0, unit))


def read_channels(file: str, parameters: Parameters, count: int) -> Channels:
    """Names, units and scaling of ``count`` channels [C3D2021]: (stored − OFFSET) × SCALE × GEN_SCALE."""
    names = list(parameters.texts("ANALOG", "LABELS")[:count])
    names = [name or f"Channel {k + 1}" for k, name in enumerate(names)]
    names += [f"Channel {k + 1}" for k in range(len(names), count)]
    unique, notices = unique_names(names, "analog channel")
    unsigned = parameters.text("ANALOG", "FORMAT").upper() == "UNSIGNED"
    scale = parameters.numbers("ANALOG", "SCALE")
    offset = parameters.numbers("ANALOG", "OFFSET")
    stored = parameters.get("ANALOG", "OFFSET")
    if unsigned and stored is not None and stored.kind == INTEGER:
        offset = np.where(offset < 0, offset + 65536, offset)
    general = parameters.number("ANALOG", "GEN_SCALE")
    general = 1.0 if general is None else general
    short = [name for name, values in (("SCALE", scale), ("OFFSET", offset)) if len(values) < count]
    if short and count:
        sentence = (
            f"{file}: ANALOG:{' and '.join(short)} do not cover all {count} channels; 1 and 0 are taken for the rest."
        )
        notices = (*notices, warning("c3d-analog-scale", sentence))
    gain = _fill_up(scale, count, 1.0) * general
    if not np.isfinite(gain).all():
        gain = np.where(np.isfinite(gain), gain, np.nan)
    return Channels(
        tuple(unique),
        (*parameters.texts("ANALOG", "DESCRIPTIONS")[:count], *[""] * count)[:count],
        (*parameters.texts("ANALOG", "UNITS")[:count], *[""] * count)[:count],
        gain,
        _fill_up(offset, count, 0.0),
        unsigned,
        tuple(notices),
    )


def _fill_up(values: FloatArray, count: int, filler: float) -> FloatArray:
    return np.concatenate([values[:count], np.full(max(0, count - len(values)), filler)])


def sort_channels(channels: Channels, of_plates: Collection[int]) -> tuple[IntArray, IntArray]:
    """Columns of the EMG channels and of the others that do not belong to a plate."""
    free = [k for k in range(len(channels.names)) if k not in of_plates]
    emg = [k for k in free if _is_emg(channels.names[k], channels.descriptions[k], channels.units[k])]
    rest = sorted(set(free) - set(emg))
    return np.array(emg, dtype=np.int64), np.array(rest, dtype=np.int64)


def _is_emg(name: str, description: str, unit: str) -> bool:
    """EMG is a voltage, or has no unit, and says so or is called after a muscle."""
    si = si_unit(unit)[1]
    if si not in ("V", ""):
        return False
    if si and SIDE_AND_MUSCLE.fullmatch(name.strip()):
        return True
    return bool(MUSCLES.search(name) or re.search("emg", description, re.IGNORECASE))
