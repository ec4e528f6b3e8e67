"""What the program remembers between two runs: recent files, theme, where windows were. One INI file a user."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings

from biomec.base.plain_types import parsed_json

MOST_RECENT = 10


class Preferences:
    """Remembered choices, typed; a file of its own can be given for tests."""

    def __init__(self, file: Path | None = None) -> None:
        if file is None:
            self._store = QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, "Biomec", "Biomec")
        else:
            self._store = QSettings(str(file), QSettings.Format.IniFormat)

    def write(self) -> None:
        """Write what was changed to the file now; later nothing is written any more, unless it changes again."""
        self._store.sync()

    @property
    def remembered(self) -> list[Path]:
        """Recently opened files, the latest first; some may be gone."""
        stored = str(self._store.value("recent", "", type=str))
        return [Path(line) for line in stored.split("\n") if line]

    @property
    def recent(self) -> list[Path]:
        """Recently opened files that still exist, the latest first."""
        return [path for path in self.remembered if path.exists()]

    def forget_recent(self) -> None:
        """Forget which files were opened."""
        self._store.remove("recent")

    def add_recent(self, path: Path) -> None:
        """Put a file at the head of the recent ones."""
        path = Path(path).absolute()
        others = [one for one in self.recent if one != path]
        self._store.setValue("recent", "\n".join(str(one) for one in [path, *others][:MOST_RECENT]))

    @property
    def theme(self) -> str:
        """Return "light", "dark" or "system"."""
        return str(self._store.value("theme", "system", type=str))

    @theme.setter
    def theme(self, name: str) -> None:
        self._store.setValue("theme", name)

    @property
    def folder(self) -> str:
        """Folder of the last file."""
        return str(self._store.value("folder", "", type=str))

    @folder.setter
    def folder(self, folder: Path | str) -> None:
        self._store.setValue("folder", str(folder))

    @property
    def recovery_folder(self) -> Path:
        """Where unsaved work is kept against a crash: beside the file of the preferences."""
        return Path(self._store.fileName()).parent / "recovery"

    @property
    def approvals_folder(self) -> Path:
        """Where the answers are kept about which extensions may run: beside the file of the preferences."""
        return Path(self._store.fileName()).absolute().parent / "approved"

    @property
    def norms_folder(self) -> Path:
        """Folder of the user's own norm data; until another is chosen, beside the file of the preferences."""
        chosen = str(self._store.value("norms/folder", "", type=str))
        return Path(chosen) if chosen else Path(self._store.fileName()).absolute().parent / "norms"

    @norms_folder.setter
    def norms_folder(self, folder: Path) -> None:
        self._store.setValue("norms/folder", str(folder))

    @property
    def norm(self) -> str:
        """Name of the norm set behind clinical curves; "" for the one that suits best, "none" for none."""
        return str(self._store.value("norms/chosen", "", type=str))

    @norm.setter
    def norm(self, name: str) -> None:
        self._store.setValue("norms/chosen", name)

    @property
    def clinical_view(self) -> dict[str, object]:
        """How clinical plots were last shown, as plain data."""
        return self._mapping("clinical/view")

    @clinical_view.setter
    def clinical_view(self, view: Mapping[str, object]) -> None:
        self._store.setValue("clinical/view", json.dumps(dict(view)))

    @property
    def emg_channels(self) -> dict[str, str]:
        """Muscles that were chosen for EMG channels: name of the channel -> "right rectus femoris", "" for none."""
        return self._texts("emg/channels")

    @emg_channels.setter
    def emg_channels(self, chosen: Mapping[str, str]) -> None:
        self._store.setValue("emg/channels", json.dumps(dict(chosen)))

    @property
    def report_files(self) -> dict[str, str]:
        """Files that clinical reports are made with: "definition" and "template" -> path."""
        return self._texts("report/files")

    @report_files.setter
    def report_files(self, chosen: Mapping[str, str]) -> None:
        self._store.setValue("report/files", json.dumps(dict(chosen)))

    @property
    def analyse_imported(self) -> bool:
        """Whether a recording is analysed as soon as it is imported."""
        return bool(self._store.value("analyse_imported", True, type=bool))

    @analyse_imported.setter
    def analyse_imported(self, wish: bool) -> None:
        self._store.setValue("analyse_imported", wish)

    @property
    def hidden_panels(self) -> set[str]:
        """Panels that the user has closed."""
        return {name for name in str(self._store.value("hidden_panels", "", type=str)).split(",") if name}

    @hidden_panels.setter
    def hidden_panels(self, names: set[str]) -> None:
        self._store.setValue("hidden_panels", ",".join(sorted(names)))

    def figure_choice(self, figure: str, key: str) -> str:
        """What was last chosen in a figure; empty if nothing was."""
        return str(self._store.value(f"figures/{figure}/{key}", "", type=str))

    def set_figure_choices(self, figure: str, chosen: Mapping[str, str]) -> None:
        """Remember what is chosen in a figure."""
        for key, option in chosen.items():
            self._store.setValue(f"figures/{figure}/{key}", option)

    @property
    def plot_view(self) -> dict[str, object]:
        """How plots were last shown: fields of a plot view, as numbers, truth values and texts."""
        return self._mapping("plots/view")

    @plot_view.setter
    def plot_view(self, view: Mapping[str, object]) -> None:
        self._store.setValue("plots/view", json.dumps(dict(view)))

    def _mapping(self, key: str) -> dict[str, object]:
        """Plain data of a key; nothing where it is missing or damaged."""
        stored = str(self._store.value(key, "", type=str))
        try:
            known = parsed_json(stored) if stored else {}
        except ValueError:
            known = {}
        return known if isinstance(known, dict) else {}

    def _texts(self, key: str) -> dict[str, str]:
        return {name: text for name, text in self._mapping(key).items() if isinstance(text, str)}

    def plotted(self, kind: str) -> tuple[str, ...]:
        """Curves that were last chosen for a kind of movement; none if none were."""
        stored = str(self._store.value(f"plots/curves/{kind}", "", type=str))
        return tuple(key for key in stored.split("\n") if key)

    def set_plotted(self, kind: str, curves: Sequence[str]) -> None:
        """Remember which curves were chosen for a kind of movement."""
        self._store.setValue(f"plots/curves/{kind}", "\n".join(curves))

    def layout(self, key: str) -> QByteArray:
        """Geometry or state of a window; empty if it was never saved."""
        value = self._store.value(f"layout/{key}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_layout(self, key: str, state: QByteArray) -> None:
        """Remember the geometry or state of a window."""
        self._store.setValue(f"layout/{key}", state)
