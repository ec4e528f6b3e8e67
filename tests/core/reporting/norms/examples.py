"""Small norms in the formats of other programs, with figures that are known."""

import io
import json
from pathlib import Path

import numpy as np

XLS = Path(__file__).with_name("schwartz_layout.xls")
PERCENT = np.linspace(0.0, 100.0, 51)
KNEE = 30.0 - 30.0 * np.cos(4.0 * np.pi * PERCENT / 100.0)
HIP = 12.0 + 22.0 * np.cos(2.0 * np.pi * PERCENT / 100.0)


def gcd() -> str:
    """Knee flexion 0 to 60° ± 5°, hip moment, and three values with the traps of such files."""
    lines = ["#!DST-0.1 GCD normal", "$PREFIXES", "Left", "Right", "!KneeFlexExt 51"]
    lines += [f"{mean:.4f} 5.0" for mean in KNEE]
    lines += ["!HipFlexExtMoment 51", *(f"{0.05 * mean:.4f} 0.1" for mean in HIP)]
    lines += ["!FootRotation 51", *("1.5 2.0" for _ in HIP)]
    lines += [
        "!StePLength 1",
        "601.4 50.2",
        "!Cadence 1",
        "0.851 0.05",
        "!LeftFootOff 1",
        "60.1 2",
        "!Mystery 1",
        "1 2",
    ]
    return "\n".join(lines) + "\n"


def pycgm2(factor: float = 1.0) -> str:
    """Knee flexion ± 5°, a hip moment in N·mm/kg, and a curve that is not known, hence zero."""

    def rows(mean: np.ndarray, sd: float) -> list[list[float]]:
        pairs = zip(PERCENT, mean, strict=True)
        return [[float(percent), float(value - sd), float(value + sd)] for percent, value in pairs]

    nothing = rows(0.0 * KNEE, 0.0)
    data = {
        "KneeAngles": {"X": rows(KNEE, 5.0), "Y": nothing, "Z": nothing},
        "HipAngles": {"X": rows(factor * HIP, 6.0), "Y": nothing, "Z": nothing},
        "HipMoment": {"X": rows(50.0 * HIP, 100.0), "Y": nothing, "Z": nothing},
        "FootAngles": {"X": nothing, "Y": nothing, "Z": rows(-9.0 + 0.0 * HIP, 4.0)},
    }
    return json.dumps({"CGM23": {"Free": data, "Slow": {"KneeAngles": data["KneeAngles"]}}})


def polygon() -> bytes:
    """Sheet "Normal": names in row 1 above two columns, values from row 4; a power without number means Z."""
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Normal"
    columns = {"KneeAngles (1)": (KNEE, 5.0), "HipMoment (1)": (50.0 * HIP, 100.0), "AnklePower": (0.05 * KNEE, 0.5)}
    columns |= {"FootOff": (np.array([60.0]), 2.0)}
    for k, (name, (mean, sd)) in enumerate(columns.items()):
        sheet.cell(1, 2 * k + 1, name)
        sheet.cell(2, 2 * k + 1, "unit")
        for row, value in enumerate(mean):
            sheet.cell(4 + row, 2 * k + 1, float(value - sd))
            sheet.cell(4 + row, 2 * k + 2, float(value + sd))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


TABLE = "percent;KneeMean;KneeSD;HipLow;HipHigh\n" + "".join(
    f"{percent:g};{-knee:.3f};5;{hip - 6:.3f};{hip + 6:.3f}\n".replace(".", ",")
    for percent, knee, hip in zip(PERCENT, KNEE, HIP, strict=True)
)
"""With decimal commas, and knee extension instead of flexion."""
MAPPING = """name = "our laboratory"

[[curve]]
curve = "knee flexion"
mean = "KneeMean"
sd = "KneeSD"
factor = -1.0

[[curve]]
curve = "hip flexion"
low = "HipLow"
high = "HipHigh"
"""
