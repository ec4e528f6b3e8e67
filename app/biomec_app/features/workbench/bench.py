"""What the parts of the workbench share: the machine, its runs, the moment that is shown. They change it and listen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from biomec.machines.machine import Machine
from biomec.machines.motion import MachineMotion, of_run
from biomec.machines.study import Run
from biomec_app.features.workbench.draft import Draft, is_stale

LONGEST_NAME = 60
MOST_VALUES = 2  # in the name of a run


@dataclass(eq=False)
class Kept:
    """A run in the list: its name there, and whether it is plotted."""

    name: str
    run: Run
    shown: bool = True
    motion: MachineMotion | None = None


class Bench(QObject):
    """State of the workbench.

    machine_changed : the machine has another meaning;  text_changed : text, fault, or whether it is saved
    opened          : another machine was opened
    runs_changed    : runs, their names, which are shown or current
    run_added       : a new `Run`, once it is among them
    time_changed    : the moment
    """

    machine_changed = Signal()
    text_changed = Signal()
    opened = Signal()
    runs_changed = Signal()
    run_added = Signal(object)
    time_changed = Signal(float)

    def __init__(self, draft: Draft, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.draft = draft
        self.undo_stack = QUndoStack(self)
        self.runs: list[Kept] = []
        self.current: Kept | None = None  # whose motion is played; None: that of the machine being edited
        self.time_s = 0.0
        self.preset = ""  # that was chosen last; its values may have been changed since

    @property
    def machine(self) -> Machine:
        """The machine, or while the text is at fault the last good one."""
        return self.draft.machine

    # ------------------------------------------------------------------ the machine

    def open(self, draft: Draft) -> None:
        """Another machine takes the place; runs of the former one stay in the list, but are not plotted any more."""
        self.undo_stack.clear()
        self.draft = draft
        for one in self.runs:
            one.shown = one.shown and one.run.machine.name == self.machine.name
        self.current, self.preset = None, ""
        self.opened.emit()
        self.machine_changed.emit()
        self.text_changed.emit()
        self.runs_changed.emit()

    def edit_text(self, text: str, label: str = "Edit text") -> None:
        """Another text; one step that can be undone."""
        if text != self.draft.text:
            self.undo_stack.push(_DraftEdit(self, label, self.draft, self.draft.edited(text), ""))

    def set_values(self, values: dict[str, float], label: str = "", together: bool = False) -> None:
        """Other values of parameters. ``together``: repeated changes of the same ones are one step."""
        made = self.draft.with_values(values)
        if made.text != self.draft.text:
            key = ",".join(sorted(values)) if together else ""
            self.undo_stack.push(_DraftEdit(self, label or f"Change {', '.join(values)}", self.draft, made, key))

    def save(self, path: Path) -> None:
        """Write the text to a file."""
        self.draft = self.draft.stored(path)
        self.text_changed.emit()

    def take(self, draft: Draft) -> None:
        """Show another state of the same machine; what is saved stays as it is known."""
        before = self.draft
        kept = {"path": before.path, "saved": before.saved, "opened": before.opened, "source": before.source}
        self.draft = Draft(draft.text, machine=draft.machine, fault=draft.fault, **kept)  # type: ignore[arg-type]
        if self.draft.machine is not before.machine:
            if self.current is not None and is_stale(self.current.run, self.machine):
                self.current = None  # the machine that is edited is the one to be seen
            self.machine_changed.emit()
            self.runs_changed.emit()
        self.text_changed.emit()

    # ------------------------------------------------------------------ runs

    def add(self, run: Run) -> Kept:
        """A new run, shown beside those that are shown of the same study; others are put aside."""
        names = {one.name for one in self.runs}
        name = base = run_name(run, self.draft, self.preset)
        if name in names:
            name = base = told_apart(name, run, next(one.run for one in reversed(self.runs) if one.name == name))
        number = 2
        while name in names:
            name, number = f"{base} ({number})", number + 1
        for one in self.runs:
            one.shown = one.shown and one.run.study == run.study and not is_stale(one.run, self.machine)
        kept = Kept(name, run, motion=of_run(run))
        self.runs.append(kept)
        self.current = kept
        self.set_time(float(run.time_s[0]) if len(run.time_s) else 0.0)
        self.runs_changed.emit()
        self.run_added.emit(run)
        return kept

    def remove(self, kept: Kept) -> None:
        """Forget a run."""
        at = self.runs.index(kept)
        self.runs.remove(kept)
        if self.current is kept:
            self.current = self.runs[min(at, len(self.runs) - 1)] if self.runs else None
        self.runs_changed.emit()

    def rename(self, kept: Kept, name: str) -> None:
        """Call a run otherwise; an empty name, or one that is taken, changes nothing."""
        name = " ".join(name.split())[:LONGEST_NAME]
        if name and name not in {one.name for one in self.runs}:
            kept.name = name
        self.runs_changed.emit()

    def choose(self, kept: Kept | None) -> None:
        """Play the motion of a run, or that of the machine being edited."""
        if kept is not self.current:
            self.current = kept
            if kept is not None:
                kept.shown = True
            self.runs_changed.emit()

    def show(self, kept: Kept, shown: bool) -> None:
        """Plot a run, or do not."""
        if kept.shown != shown:
            kept.shown = shown
            self.runs_changed.emit()

    def is_stale(self, kept: Kept) -> bool:
        """Whether the machine has changed since a run."""
        return is_stale(kept.run, self.machine)

    @property
    def shown(self) -> list[Kept]:
        """Runs that are plotted and compared."""
        return [one for one in self.runs if one.shown]

    # ------------------------------------------------------------------ time

    def set_time(self, time_s: float) -> None:
        """Show another moment."""
        if time_s != self.time_s:
            self.time_s = time_s
            self.time_changed.emit(time_s)


def run_name(run: Run, draft: Draft, preset: str = "") -> str:
    """What a list calls a run: its title, and the preset that was chosen or the values that are not the file's."""
    there = run.machine.values
    chosen = run.machine.blueprint.presets.get(preset)
    if chosen is not None and all(there.get(k) == value for k, value in {**draft.opened, **chosen.values}.items()):
        return f"{run.title}, {chosen.name}"[:LONGEST_NAME]
    changed = [name for name, value in draft.opened.items() if there.get(name, value) != value]
    values = ", ".join(f"{name} = {there[name]:g}" for name in changed[:MOST_VALUES])
    more = f" and {len(changed) - MOST_VALUES} more" if len(changed) > MOST_VALUES else ""
    return (f"{run.title}, {values}{more}" if changed else run.title)[:LONGEST_NAME]


def told_apart(name: str, run: Run, other: Run) -> str:
    """The name of a run with the options and values by which it differs from another of that name."""
    apart = []
    if type(run.options) is type(other.options) and is_dataclass(run.options):
        both = (
            (one.name, getattr(run.options, one.name), getattr(other.options, one.name)) for one in fields(run.options)
        )
        apart += [f"{word} = {mine if mine != '' else 'none'}" for word, mine, theirs in both if mine != theirs]
    values, before = run.machine.values, other.machine.values
    apart += [f"{word} = {value:g}" for word, value in values.items() if before.get(word, value) != value]
    words = ", ".join(apart[:MOST_VALUES]) + (
        f" and {len(apart) - MOST_VALUES} more" if len(apart) > MOST_VALUES else ""
    )
    return f"{name}, {words}"[:LONGEST_NAME] if apart else name


class _DraftEdit(QUndoCommand):
    """A step from one draft to another; steps of the same key become one."""

    def __init__(self, bench: Bench, label: str, before: Draft, after: Draft, key: str) -> None:
        super().__init__(label)
        self._take: Callable[[Draft], None] = bench.take
        self.before, self.after, self.key = before, after, key

    def id(self) -> int:
        """Steps without a key stay apart."""
        return 1 if self.key else -1

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Take in the next step of the same parameters."""
        if not isinstance(other, _DraftEdit) or other.key != self.key:
            return False
        self.after = other.after
        return True

    def redo(self) -> None:
        """Do it."""
        self._take(self.after)

    def undo(self) -> None:
        """Take it back."""
        self._take(self.before)
