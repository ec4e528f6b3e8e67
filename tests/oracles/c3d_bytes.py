"""C3D files byte by byte, for tests: written from the public description of the format, without the reader's code.

Source: The C3D File Format, a technical user guide (c3d.org), chapters on header, parameters and data.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

import numpy as np

INTEL, DEC, MIPS = 84, 85, 86
BLOCK = 512


def real_bytes(values: object, processor: int) -> bytes:
    """Single-precision numbers as a processor stores them."""
    array = np.asarray(values, dtype=np.float32).ravel()
    if processor == MIPS:
        return array.astype(">f4").tobytes()
    if processor == INTEL:
        return array.astype("<f4").tobytes()
    halves = (array * np.float32(4.0)).astype("<f4").view("<u2").reshape(-1, 2)
    return halves[:, [1, 0]].tobytes()


def integer_bytes(values: object, processor: int) -> bytes:
    """16-bit numbers; 32768 to 65535 are stored as the signed numbers of the same bits."""
    array = np.asarray(values).ravel().astype(np.int64) & 0xFFFF
    return array.astype(">u2" if processor == MIPS else "<u2").tobytes()


def _parameter(number: int, name: str, value: object, processor: int) -> bytes:
    if isinstance(value, str):
        value = [value]
    if isinstance(value, (list, tuple)) and (not value or isinstance(value[0], str)):
        texts = [text.encode() for text in value]
        width = max([len(text) for text in texts] + [1])
        kind, dims = -1, (width, len(texts))
        data = b"".join(text.ljust(width) for text in texts)
    else:
        array = np.asarray(value)
        dims = array.shape
        flat = array.ravel(order="F")
        if np.issubdtype(array.dtype, np.integer):
            kind, data = 2, integer_bytes(flat, processor)
        else:
            kind, data = 4, real_bytes(flat, processor)
    body = struct.pack("bB", kind, len(dims)) + bytes(dims) + data + b"\0"
    head = struct.pack("bb", len(name), number) + name.encode()
    return head + integer_bytes([len(body) + 2], processor) + body


def parameter_section(parameters: Mapping[tuple[str, str], object], processor: int) -> bytes:
    """Groups and parameters, padded to whole blocks."""
    groups = list(dict.fromkeys(group for group, _ in parameters))
    out = b""
    for number, group in enumerate(groups, start=1):
        body = b"\0"
        out += (
            struct.pack("bb", len(group), -number) + group.encode() + integer_bytes([len(body) + 2], processor) + body
        )
        for (owner, name), value in parameters.items():
            if owner == group:
                out += _parameter(number, name, value, processor)
    out += b"\0\0"
    blocks = -(-(len(out) + 4) // BLOCK)
    return (bytes([1, 0x50, blocks % 256, processor]) + out).ljust(blocks * BLOCK, b"\0")


def continued(group: str, name: str, values: Sequence[str], size: int = 255) -> dict[tuple[str, str], object]:
    """NAME, NAME2, NAME3 … with ``size`` entries each."""
    parts = [list(values[k : k + size]) for k in range(0, len(values), size)] or [[]]
    return {(group, name + ("" if k == 0 else str(k + 1))): part for k, part in enumerate(parts)}


def c3d_bytes(
    points: np.ndarray,
    *,
    words: np.ndarray | None = None,
    analog: np.ndarray | None = None,
    samples_per_frame: int = 1,
    rate: float = 100.0,
    scale: float = 0.1,
    real: bool = True,
    processor: int = INTEL,
    first_frame: int = 1,
    parameters: Mapping[tuple[str, str], object] | None = None,
    header: Mapping[int, int] | None = None,
    header_events: Sequence[tuple[float, str]] = (),
) -> bytes:
    """A whole file.

    points     : (T, P, 3) in the file's length unit (reals) or in steps of ``scale`` (integers)
    words      : (T, P) fourth word of every point; 0 if not given
    analog     : (T × samples_per_frame, A) numbers as stored
    parameters : added to, or in place of, the usual ones; None as a value removes one
    header     : header words to overwrite, numbered from 1
    """
    frames, n_points = points.shape[:2]
    analog = np.zeros((frames * samples_per_frame, 0)) if analog is None else analog
    channels = analog.shape[1]
    words = np.zeros((frames, n_points)) if words is None else words
    signed_scale = -scale if real else scale
    values: dict[tuple[str, str], object] = {
        ("POINT", "USED"): np.array(n_points),
        ("POINT", "FRAMES"): np.array(min(frames, 65535)),
        ("POINT", "DATA_START"): np.array(0),
        ("POINT", "SCALE"): np.array(signed_scale),
        ("POINT", "RATE"): np.array(float(rate)),
        ("POINT", "UNITS"): "mm",
        **continued("POINT", "LABELS", [f"M{k + 1}" for k in range(n_points)]),
        ("ANALOG", "USED"): np.array(channels),
        ("ANALOG", "RATE"): np.array(float(rate * samples_per_frame)),
        ("ANALOG", "GEN_SCALE"): np.array(1.0),
        ("ANALOG", "SCALE"): np.ones(channels),
        ("ANALOG", "OFFSET"): np.zeros(channels, dtype=int),
        ("ANALOG", "LABELS"): [f"A{k + 1}" for k in range(channels)],
        ("ANALOG", "UNITS"): ["V"] * channels,
    }
    values.update(parameters or {})
    values = {key: value for key, value in values.items() if value is not None}
    start = 2 + len(parameter_section(values, processor)) // BLOCK
    if ("POINT", "DATA_START") in values and not (parameters and ("POINT", "DATA_START") in parameters):
        values["POINT", "DATA_START"] = np.array(start)
    section = parameter_section(values, processor)

    integers = {
        2: n_points,
        3: channels * samples_per_frame,
        4: first_frame,
        5: min(first_frame + frames - 1, 65535),
        9: start,
        10: samples_per_frame if channels else 0,
        150: 12345,
        151: len(header_events),
        **(header or {}),
    }
    head = bytearray(BLOCK)
    head[0:2] = bytes([2, 0x50])
    for number, value in integers.items():
        head[2 * number - 2 : 2 * number] = integer_bytes([value], processor)
    head[12:16] = real_bytes([signed_scale], processor)
    head[20:24] = real_bytes([rate], processor)
    for k, (time, label) in enumerate(header_events):
        head[304 + 4 * k : 308 + 4 * k] = real_bytes([time], processor)
        head[396 + 4 * k : 400 + 4 * k] = label.encode().ljust(4)

    block = np.concatenate([points, words[:, :, None]], axis=2).reshape(frames, 4 * n_points)
    block = np.hstack([block, analog.reshape(frames, samples_per_frame * channels)])
    data = real_bytes(block, processor) if real else integer_bytes(np.round(block), processor)
    return bytes(head) + section + data + b"\0" * (-len(data) % BLOCK)
