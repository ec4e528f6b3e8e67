"""Writes schwartz_layout.xls: the layout of the addendum of Schwartz and others (2008) with made-up numbers.

Needs xlwt, which is not among the dependencies:  pip install xlwt; python make_schwartz_xls.py
"""

import math
from pathlib import Path

import xlwt

SHEETS = {
    "Joint Rotations": {
        "Knee Flex/Extension": (lambda x: 30.0 - 30.0 * math.cos(4.0 * math.pi * x), 5.0),
        "Hip Flex/Extension": (lambda x: 12.0 + 22.0 * math.cos(2.0 * math.pi * x), 6.0),
    },
    "Joint Power": {"Ankle": (lambda x: 4.0 * math.exp(-(((x - 0.53) / 0.05) ** 2)), 0.5)},
}
ROWS = 51


def main() -> None:
    book = xlwt.Workbook()
    for name, curves in SHEETS.items():
        sheet = book.add_sheet(name)
        sheet.write(0, 0, "Variable")
        sheet.write(0, 1, "% Gait Cycle")
        for k, speed in enumerate(("Very Slow", "Slow", "Free", "Fast", "Very Fast")):
            for j, what in enumerate(("-1sd", "mean", "+1sd")):
                sheet.write(0, 2 + 3 * k + j, f"{speed} {what}")
        at = 1
        for curve, (mean, sd) in curves.items():
            for row in range(ROWS):
                share = row / (ROWS - 1)
                if row == 0:
                    sheet.write(at, 0, curve)
                sheet.write(at, 1, share)
                for k in range(5):
                    value = round((0.8 + 0.1 * k) * mean(share), 3)
                    for j in range(3):
                        sheet.write(at, 2 + 3 * k + j, value + (j - 1) * sd)
                at += 1
    book.save(str(Path(__file__).with_name("schwartz_layout.xls")))


if __name__ == "__main__":
    main()
