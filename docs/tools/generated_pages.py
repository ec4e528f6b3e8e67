"""What of the documentation is made from the program: ``python -m docs.tools.generated_pages`` writes it.

The page of all settings from their fields; in the guide to the window, the table of keys from the menus.
"""

from __future__ import annotations

from pathlib import Path

from biomec.base.field_texts import choices_text, range_words
from biomec.base.fields import Entry, Kind, default_text, entries
from biomec.pipeline.settings import AnalysisSettings
from biomec.pipeline.simulation_settings import SimulationSettings

DOCS = Path(__file__).parents[1]
KEYS = "| menu | keys | item |\n|---|---|---|\n"
HEAD = """\
# All settings

This page is made from the program: `python -m docs.tools.generated_pages`.

The window shows the settings of an analysis in **Edit ▸ Settings of the Analysis…**. On the command line,
`biomec analyze` sets each of them by its key:

```
biomec analyze walk.c3d --out results --set signals.reconstruction.gap_limit_s=0.3 --set load_reading.axes=distal
```

A number may have its unit (`0.3 s`). Where this page shows mm, cm, ms, µm, % or °, give the unit: `5 mm` or `0.005 m`.
`default` brings the default back, `none` stands for nothing, and `on` or `off` turns a group or a switch on or off.
Write commas between names, and semicolons between names with numbers:
`positions.weights.segments=pelvis=2; thorax=1`. `settings.json` holds the same keys, with all numbers in SI units.
"""
SIMULATION = """\
## Simulations

`biomec simulate` has an option for each of these; [simulations of a recording](simulate-a-recording.md) explains them.
"""
COLUMNS = ("setting", "key", "range or choices", "default", "what it does")


def pages() -> dict[str, str]:
    """Name of a page -> what it should be."""
    before, _, after = (DOCS / "window.md").read_text("utf-8").partition(KEYS)
    return {"settings.md": settings(), "window.md": before + KEYS + keys() + "\n" + after.partition("\n\n")[2]}


def keys() -> str:
    """Rows of the table of keys."""
    from biomec_app.shell.actions import all_actions

    def plain(words: str) -> str:
        return words.replace("&", "").replace("/", " ▸ ")

    actions = [action for action in all_actions() if action.shortcut and action.run is not None]
    return "".join(f"| {plain(one.menu)} | `{one.shortcut}` | {one.text.replace('&', '')} |\n" for one in actions)


def settings() -> str:
    """The page of settings."""
    parts = [HEAD]
    for step in entries(AnalysisSettings()):
        parts += [f"## {step.setting.label} (`{step.name}`)\n\n{step.setting.help}\n", *_groups(step.parts, 3)]
    return "\n".join([*parts, SIMULATION, *_groups(entries(SimulationSettings()), 3)])


def _groups(parts: tuple[Entry, ...], level: int) -> list[str]:
    """A table of the fields, then a section for every group within."""
    fields = [part for part in parts if part.kind is not Kind.GROUP]
    found = [_table(fields)] if fields else []
    for part in parts:
        if part.kind is Kind.GROUP:
            usual = "off" if part.default is None else "on"
            state = f" It can be on or off; {usual} by default." if part.optional else ""
            key = ".".join(part.path)
            found.append(f"{'#' * level} {part.setting.label} (`{key}`)\n\n{part.setting.help}{state}\n")
            found += _groups(part.parts, level + 1)
    return found


def _table(fields: list[Entry]) -> str:
    rows = [COLUMNS, ("---",) * len(COLUMNS), *(_row(entry) for entry in fields)]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows) + "\n"


def _row(entry: Entry) -> tuple[str, ...]:
    about = entry.setting
    if entry.kind is Kind.CHOICE:
        within = choices_text(entry)
    else:
        within = range_words(about) or KINDS.get(entry.kind, f"in {about.unit}" if about.unit else "a number")
    return about.label, f"`{'.'.join(entry.path)}`", within, default_text(entry), about.help


KINDS = {
    Kind.SWITCH: "on or off", Kind.WHOLE: "a whole number", Kind.TEXT: "a text", Kind.NAMES: "names",
    Kind.LINES: "lines name = number", Kind.CHOICES: "a method for each", Kind.SHOWN: "set elsewhere",
}  # fmt: skip


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
        print(DOCS / name)
