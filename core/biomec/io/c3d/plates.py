"""Force plates of a C3D file: what the parameters say, checked, and the wrench on the subject in laboratory axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from biomec.base.arrays import FloatArray
from biomec.base.notices import Notice, info, problem, warning
from biomec.io.c3d.channels import Channels, si_unit
from biomec.io.c3d.parameters import TEXT, Parameters
from biomec.io.c3d.plate_types import PLATE_TYPES, PlateType, Wrench, corrected_by_polynomial
from biomec.io.labels import unique_names
from biomec.recording import LOADED_N, ForcePlate

SMALLEST_SIDE_M = 0.02
NOMINAL = "NOMINAL_CORNERS"  # parameter of ours: 1 for plates whose corners nobody knew when the file was written
STANDING_N = 100.0  # a baseline above this is a person, not drift
SAMPLES_AT_ONCE = 8192


@dataclass(frozen=True, eq=False)
class PlateSetup:
    """One plate as the parameters describe it, in SI units.

    columns    : analog channels, from 0
    matrix     : (S, C) from the channels to the signals of the type [N, N m, m]
    origin     : (3,) ORIGIN with its sign put right [m]
    R_WP       : (3, 3) plate axes as columns
    up         : (3,) the surface's normal away from the ground
    polynomial : Kistler's twelve coefficients [m], or None
    nominal    : the corners give the axes only; where the plate ends was not known to who wrote the file
    """

    name: str
    number: int
    type: int
    columns: tuple[int, ...]
    matrix: FloatArray
    origin: FloatArray
    corners: FloatArray
    R_WP: FloatArray
    up: FloatArray
    polynomial: FloatArray | None
    nominal: bool = False


def read_setups(
    file: str, parameters: Parameters, channels: Channels, metres: float
) -> tuple[tuple[PlateSetup, ...], tuple[Notice, ...]]:
    """Read the FORCE_PLATFORM group; a plate that cannot be understood is left out, with the reason as a notice.

    The order of the corners says which side is up. Whether that is true is decided later, from what stands on the
    plate (`biomec.io.evidence`), never from what the header says about axes.

    metres : one length unit of the file
    """
    used = max(parameters.count("FORCE_PLATFORM", "USED") or 0, 0)
    types = parameters.counts("FORCE_PLATFORM", "TYPE")
    used = min(used, 255)
    titles = [*parameters.texts("FORCE_PLATFORM", "LABELS"), *[""] * used][:used]
    names, notices = unique_names([title or f"Plate {k + 1}" for k, title in enumerate(titles)], "plate")
    setups: list[PlateSetup] = []
    nominal = parameters.counts("FORCE_PLATFORM", NOMINAL)
    found = list(notices)
    for k, name in enumerate(names):
        try:
            kind = int(types[k]) if k < len(types) else 0
            setup, notes = _read_setup(parameters, channels, metres, k, kind, name)
            setups.append(replace(setup, nominal=k < len(nominal) and nominal[k] == 1))
            found += [Notice(n.severity, n.code, f"{file}: {n.sentence}", n.about) for n in notes]
        except NotUnderstood as reason:
            sentence = f"{file}: {name} was left out, because {reason}. Its channels are kept as analog channels."
            found.append(problem("c3d-plate-left-out", sentence, name))
    return tuple(setups), tuple(found)


class NotUnderstood(Exception):
    """Why a plate is left out, as the second half of a sentence; caught within this package."""


def _block(parameters: Parameters, name: str, k: int, shape: tuple[int, ...]) -> FloatArray | None:
    """Values of plate ``k`` in a parameter whose last dimension counts plates, first index fastest."""
    parameter = parameters.get("FORCE_PLATFORM", name)
    if parameter is None or parameter.kind == TEXT:
        return None
    if len(parameter.dims) != len(shape) + 1 or k >= parameter.dims[-1]:
        return None
    block = parameter.numbers.reshape(parameter.dims, order="F")[..., k]
    if any(have < want for have, want in zip(block.shape, shape, strict=True)):
        return None
    return np.asarray(block[tuple(slice(want) for want in shape)])


def _read_setup(
    parameters: Parameters, channels: Channels, metres: float, k: int, kind: int, name: str
) -> tuple[PlateSetup, list[Notice]]:
    notices: list[Notice] = []
    plate_type = PLATE_TYPES.get(kind)
    if plate_type is None:
        raise NotUnderstood(f"its type is {kind}, and only the types 1 to 7 are publicly documented")
    numbers = _block(parameters, "CHANNEL", k, (plate_type.channels,))
    if numbers is None:
        raise NotUnderstood(f"a plate of type {kind} needs {plate_type.channels} channels and fewer are named")
    columns = tuple(int(number) - 1 for number in numbers)
    if min(columns) < 0 or max(columns) >= len(channels.names):
        wanted = ", ".join(str(column + 1) for column in columns)
        raise NotUnderstood(f"it wants the channels {wanted}, and the file has {len(channels.names)}")
    corners = _block(parameters, "CORNERS", k, (3, 4))
    if corners is None or not np.isfinite(corners).all():
        raise NotUnderstood("its corners are missing")
    corners = metres * corners.T
    R_WP = plate_axes(corners)
    normal = -R_WP[:, 2] + 0.0  # z points down by rule; no −0
    origin, notes = _origin(parameters, k, plate_type, metres, name)
    notices += notes
    matrix, notes = _matrix(parameters, channels, k, kind, plate_type, columns, metres, name)
    notices += notes
    polynomial = _block(parameters, "FPCOPPOLY", k, (12,))
    if polynomial is not None:
        if polynomial.any() and np.isfinite(polynomial).all() and kind in (3, 7):
            # Powers of x and y in each term, less one: what a change of the length unit multiplies by.
            powers = np.array([6, 4, 2, 4, 2, 0] * 2)
            polynomial = polynomial / metres**powers
        else:
            polynomial = None
    setup = PlateSetup(name, k + 1, kind, columns, matrix, origin, corners, R_WP, normal, polynomial)
    return setup, notices


def plate_axes(corners: FloatArray) -> FloatArray:
    """Columns x, y, z from the corners (+x +y), (−x +y), (−x −y), (+x −y); z = x × y."""
    x = corners[0] + corners[3] - corners[1] - corners[2]
    y = corners[0] + corners[1] - corners[2] - corners[3]
    z = np.cross(x, y)
    lengths = np.linalg.norm(x), np.linalg.norm(y)
    if min(lengths) < 2.0 * SMALLEST_SIDE_M or np.linalg.norm(z) < 0.2 * lengths[0] * lengths[1]:
        raise NotUnderstood("its corners are not those of a rectangle")
    x, z = x / np.linalg.norm(x), z / np.linalg.norm(z)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _origin(
    parameters: Parameters, k: int, plate_type: PlateType, metres: float, name: str
) -> tuple[FloatArray, list[Notice]]:
    """ORIGIN in metres, in plate axes (z down): from the sensors up to the surface; its sign is often wrong."""
    stored = _block(parameters, "ORIGIN", k, (3,))
    if stored is None or not np.isfinite(stored).all():
        if "P" in plate_type.signals:  # type 1 gives everything at the surface
            return np.zeros(3), []
        raise NotUnderstood("its ORIGIN, the place of its sensors, is missing")
    origin: FloatArray = metres * stored
    notices: list[Notice] = []
    if origin[2] > 0.0 and "P" not in plate_type.signals:
        origin = -origin
        notices.append(
            info(
                "c3d-origin-sign",
                f"{name}: ORIGIN would put the sensors {1e3 * abs(origin[2]):.1f} mm above the surface; its sign was "
                "reversed, as for many files of this kind.",
                name,
            )
        )
    if plate_type.half_sides:
        origin[:2] = np.abs(origin[:2])  # distances
        if not origin[:2].all():
            raise NotUnderstood("its ORIGIN does not give the distances between its sensors")
    return origin, notices


def _matrix(
    parameters: Parameters,
    channels: Channels,
    k: int,
    kind: int,
    plate_type: PlateType,
    columns: tuple[int, ...],
    metres: float,
    name: str,
) -> tuple[FloatArray, list[Notice]]:
    """Matrix (S, C) from channels to signals in SI: units of the channels, or CAL_MATRIX, whose moments are N × length.

    CAL_MATRIX is stored column by column; a type 5 plate may have it as 6 × 8 or as 8 × 6.
    """
    notices: list[Notice] = []
    lengths = np.array([1.0 if signal == "F" else metres for signal in plate_type.signals])
    if plate_type.calibrated:
        shape = (len(plate_type.signals), plate_type.channels)
        matrix = _block(parameters, "CAL_MATRIX", k, shape)
        if matrix is None and shape[0] != shape[1]:
            turned = _block(parameters, "CAL_MATRIX", k, shape[::-1])
            matrix = None if turned is None else turned.T
        if matrix is not None and np.isfinite(matrix).all() and matrix.any():
            return lengths[:, None] * matrix, notices
        if shape[0] != shape[1] or any(si_unit(channels.units[c])[1] == "V" for c in columns):
            raise NotUnderstood(f"a plate of type {kind} needs a calibration matrix and the file has none")
        notices.append(
            warning("c3d-no-calibration", f"{name}: no calibration matrix; its channels are taken as calibrated.", name)
        )
    expected = {"F": "N", "M": "N m", "P": "m"}
    gain = lengths.copy()
    odd: list[str] = []
    for row, (signal, column) in enumerate(zip(plate_type.signals, columns, strict=True)):
        factor, unit = si_unit(channels.units[column])
        if unit == expected[signal]:
            gain[row] = factor
        elif unit:
            odd.append(f"{channels.names[column]} in {unit}")
    if odd:
        notices.append(
            warning(
                "c3d-plate-units",
                f"{name}: the units of {', '.join(odd)} do not fit a plate of type {kind}; N and the length unit of "
                "the points are taken. Check the size of the forces.",
                name,
            )
        )
    return np.diag(gain), notices


def build_plate(
    file: str, setup: PlateSetup, samples: FloatArray, columns: Sequence[int], rate_hz: float, baseline: slice | None
) -> tuple[ForcePlate, tuple[Notice, ...]]:
    """Force and moment on the subject about the surface's centre, in laboratory axes.

    samples  : (N, …) channels in the file's units, of which ``columns`` are the plate's
    baseline : samples that the file calls unloaded (ZERO), or None
    """
    notices: list[Notice] = []
    force, moment = _wrench_in_lab(setup, samples, columns, None)
    if baseline is not None:
        level = samples[baseline][:, columns].mean(axis=0) @ setup.matrix.T
        level, note = _baseline(file, setup, level, force @ setup.R_WP[:, 2], baseline)
        notices += note
        if level is not None:
            force, moment = _wrench_in_lab(setup, samples, columns, level)
    normal = force @ setup.up
    loaded = np.abs(normal) > LOADED_N
    if loaded.any() and (normal[loaded] < 0.0).mean() > 0.9:
        force, moment = -force, -moment
        notices.append(
            info(
                "c3d-force-reversed",
                f"{file}: {setup.name} stores the load on the plate; it was reversed, to be the force on the subject.",
                setup.name,
            )
        )
    centre = setup.corners.mean(axis=0)
    lever = setup.origin * ([0.0, 0.0, 1.0] if PLATE_TYPES[setup.type].half_sides else [1.0, 1.0, 1.0])
    to_surface = None if "P" in PLATE_TYPES[setup.type].signals else setup.R_WP @ lever
    corners = None if setup.nominal else setup.corners
    plate = ForcePlate(setup.name, force, moment, rate_hz, centre, setup.up, corners, setup.type, to_surface=to_surface)
    return plate, tuple(notices)


def _wrench_in_lab(setup: PlateSetup, samples: FloatArray, columns: Sequence[int], level: FloatArray | None) -> Wrench:
    """Force and moment in laboratory axes, in the file's own sense, less the ``level`` of the signals."""
    force, moment = np.empty((len(samples), 3)), np.empty((len(samples), 3))
    for first in range(0, len(samples), SAMPLES_AT_ONCE):  # so that long recordings take no more memory
        part = slice(first, first + SAMPLES_AT_ONCE)
        with np.errstate(all="ignore"):  # damaged numbers stay what they are
            signals = samples[part][:, columns] @ setup.matrix.T
            wrench = PLATE_TYPES[setup.type].wrench(signals if level is None else signals - level, setup.origin)
            if setup.polynomial is not None:
                wrench = corrected_by_polynomial(wrench, setup.polynomial)
            force[part], moment[part] = (vectors @ setup.R_WP.T for vectors in wrench)
    return force, moment


def zero_samples(parameters: Parameters, frames: int, samples_per_frame: int) -> slice | None:
    """Samples of the frames FORCE_PLATFORM:ZERO, counted from 1 (0 means 1); None where it is not a range."""
    zero = parameters.numbers("FORCE_PLATFORM", "ZERO")
    if len(zero) != 2 or not np.isfinite(zero).all():
        return None
    first, last = max(int(zero[0]), 1), min(int(zero[1]), frames)
    return slice((first - 1) * samples_per_frame, last * samples_per_frame) if last >= first else None


def _baseline(
    file: str, setup: PlateSetup, level: FloatArray, vertical: FloatArray, part: slice
) -> tuple[FloatArray | None, list[Notice]]:
    """The mean ``level`` of the signals while unloaded; None if somebody stood on the plate, whose load it would be.

    Somebody stood there if the vertical force later falls clearly below the baseline, or is a person's weight.
    """
    if "P" in PLATE_TYPES[setup.type].signals:
        level[3:5] = 0.0  # places, not loads
    size = np.abs(vertical)
    if not np.isfinite(level).all() or not np.isfinite(size).all():
        return None, []
    sense = np.sign(np.median(vertical[size >= 0.5 * size.max()]))
    base = float(vertical[part].mean() * sense)
    if base > LOADED_N and (base > STANDING_N or np.percentile(sense * vertical - base, 5.0) < -LOADED_N):
        sentence = (
            f"{file}: {setup.name} carries {base:.0f} N in the frames called unloaded; no baseline was taken away."
        )
        return None, [warning("c3d-baseline-loaded", sentence, setup.name)]
    if not level.any():
        return None, []
    sentence = (
        f"{file}: the baseline of {setup.name}, {base:.1f} N of vertical force, was taken away, as the file asks."
    )
    return level, [info("c3d-baseline", sentence, setup.name)]


def floor_axis(parameters: Parameters) -> str | None:
    """The laboratory axis (x, y, z) that the first plate's surface is square to, if it is square to one."""
    corners = _block(parameters, "CORNERS", 0, (3, 4))
    if corners is None or not np.isfinite(corners).all():
        return None
    normal = np.cross(corners[:, 0] - corners[:, 2], corners[:, 1] - corners[:, 3])
    length = float(np.linalg.norm(normal))
    axis = int(np.argmax(np.abs(normal)))
    return "xyz"[axis] if length > 0.0 and abs(normal[axis]) > 0.95 * length else None


def plate_columns(setups: Sequence[PlateSetup]) -> tuple[int, ...]:
    """All channels of the plates, each once, in the order of the file."""
    return tuple(sorted({column for setup in setups for column in setup.columns}))
