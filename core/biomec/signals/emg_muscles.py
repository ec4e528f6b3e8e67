"""Which muscle an EMG channel is of, and when in the gait cycle that muscle is usually active.

Both stand in a TOML file, which a laboratory can copy and edit: names of muscles, the labels by which channels call
them, channels assigned by hand, and stretches of the cycle. A channel is recognised by a word for its side and a label
of a muscle: ``R_RF``, ``Voltage.L Tib Ant``, ``RightRectusFemoris``, ``triceps_D``. What the settings say of a channel
comes before the file, and the file before the name; `MuscleTable.assigned` is the one place that decides.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from biomec.base.description_file import Descriptions
from biomec.base.errors import BiomecError
from biomec.base.fields import setting, shipped
from biomec.base.frozen import FrozenDict
from biomec.base.toml_table import TomlTable, read_toml
from biomec.signals.emg import EmgOptions

RIGHT, LEFT = "right", "left"
SIDE_WORDS = {
    **dict.fromkeys(("r", "rt", "right", "d", "dir", "der", "direito", "direita", "derecho", "derecha"), RIGHT),
    **dict.fromkeys(("l", "lt", "left", "e", "esq", "izq", "esquerdo", "esquerda", "izquierdo", "izquierda"), LEFT),
}
FILLERS = frozenset(("emg", "voltage", "volts", "analog", "semg", "im", "sensor", "channel", "ch", "raw", "muscle"))
FILE_KEYS = ("name", "title", "sources", "note", "foot_off", "muscle", "channels")
MUSCLE_KEYS = ("name", "labels", "active")
USUAL = "emg_activity"
NO_MUSCLE = ""
"""Assignment of a channel that is no muscle to be shown."""
BY_HAND, BY_FILE, BY_NAME = "by hand", "by the table of muscles", "by its name"

Stretches = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Muscle:
    """A muscle, the labels that mean it, and the stretches of the cycle [%] in which it is usually active.

    active : for the foot off of the file; empty where no usual activity is stated
    """

    name: str
    labels: tuple[str, ...]
    active: Stretches = ()


@dataclass(frozen=True)
class EmgChannel:
    """A channel, its side ("right", "left", "" unknown) and its muscle ("" unknown).

    source : what says so: `BY_HAND`, `BY_FILE` or `BY_NAME`
    """

    channel: str
    side: str
    muscle: str
    source: str = BY_NAME

    @property
    def known(self) -> bool:
        """Whether both side and muscle are known."""
        return bool(self.side and self.muscle)

    @property
    def assignment(self) -> str:
        """As files and settings write it, such as "right rectus femoris"; `NO_MUSCLE` if it is not known."""
        return f"{self.side} {self.muscle}" if self.known else NO_MUSCLE

    @property
    def left_out(self) -> bool:
        """Whether somebody said that it is no muscle to be shown."""
        return self.source == BY_HAND and not self.known


@dataclass(frozen=True)
class MuscleTable:
    """Muscles of a file, in the order in which a report shows them.

    foot_off : for which the stretches hold [% of the cycle]
    channels : channels that the file assigns: name -> side and muscle
    by_hand  : channels that settings assign: name -> side and muscle, ("", "") for a channel that is not shown
    """

    name: str
    title: str
    sources: tuple[str, ...]
    note: str
    foot_off: float
    muscles: tuple[Muscle, ...]
    channels: Mapping[str, tuple[str, str]] = field(default_factory=FrozenDict)
    by_hand: Mapping[str, tuple[str, str]] = field(default_factory=FrozenDict)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the muscles."""
        return tuple(one.name for one in self.muscles)

    def with_channels(self, assignments: Mapping[str, str]) -> MuscleTable:
        """The table with channels assigned by hand: name -> "right rectus femoris", or `NO_MUSCLE` to leave it out.

        An assignment to a muscle that this table does not have is passed over: it was made with another table.
        """
        pairs = {channel: side_and_muscle(channel, words) for channel, words in assignments.items()}
        known = {channel: pair for channel, pair in pairs.items() if pair == ("", "") or pair[1] in self.names}
        return replace(self, by_hand=FrozenDict(known))

    def active(self, muscle: str, foot_off: float | None) -> Stretches:
        """Stretches of usual activity of a muscle, brought to a person's own foot off [%].

        p' = p FO / FO₀ up to FO₀, FO + (p − FO₀) (100 − FO) / (100 − FO₀) after it; none without a foot off.
        """
        found = next((one.active for one in self.muscles if one.name == muscle), ())
        if foot_off is None:
            return ()
        scaled = np.interp(np.reshape(found, (-1, 2)), (0.0, self.foot_off, 100.0), (0.0, foot_off, 100.0))
        return tuple((float(first), float(last)) for first, last in scaled)

    def assigned(self, channels: Sequence[str]) -> tuple[EmgChannel, ...]:
        """Side and muscle of every channel: by hand, else as the file says, else by its name."""
        return tuple(map(self._assigned, channels))

    def _assigned(self, name: str) -> EmgChannel:
        for given, source in ((self.by_hand, BY_HAND), (self.channels, BY_FILE)):
            if name in given:
                return EmgChannel(name, *given[name], source)
        return self._by_name(name)

    def _by_name(self, channel: str) -> EmgChannel:
        words = [word for word in _words(channel) if word not in FILLERS and not word.isdigit()]
        for side, rest in _sides(words):
            muscle = self._muscle("".join(rest))
            if muscle:
                return EmgChannel(channel, side, muscle)
        return EmgChannel(channel, "", self._muscle("".join(words)))

    def _muscle(self, text: str) -> str:
        """Muscle whose label is the text, or the longest label of several words that the text holds; "" for none."""
        held = []
        for muscle in self.muscles:
            for label in (muscle.name, *muscle.labels):
                words = _words(label)
                key = "".join(words)
                if key == text:
                    return muscle.name
                if len(words) > 1 and key in text:
                    held.append((len(key), muscle.name))
        return max(held, key=lambda one: one[0])[1] if held else ""


@dataclass(frozen=True)
class EmgReading:
    """How EMG is shown over cycles: band and envelope, and whose names and activity of muscles.

    channels : assigned by hand: name of the channel -> "right rectus femoris", or "" for one that is not shown
    mvc      : channel -> greatest envelope of a maximal voluntary contraction, in the unit of the channel
               (`biomec.signals.maximal_contraction`);  mvc_from : channel -> the file it is from, or "typed"
    """

    muscles: str = setting(
        USUAL, "Muscles of EMG", "Names of channels, and when each muscle is usually active.",
        choices=partial(shipped, "emg"), files=True)  # fmt: skip
    low_hz: float = setting(20.0, "Raw EMG from", "High-pass of the raw signal.", unit="Hz", least=1.0)
    high_hz: float = setting(400.0, "Raw EMG to", "Low-pass of the raw signal.", unit="Hz", least=2.0)
    envelope_hz: float = setting(10.0, "Envelope", "Low-pass of the rectified signal.", unit="Hz", least=0.1)
    channels: Mapping[str, str] = setting(
        factory=FrozenDict, label="Channels by hand", help="Muscle of a channel; chosen in Edit ▸ EMG Channels.",
        shown=True)  # fmt: skip
    mvc: Mapping[str, float] = setting(
        factory=FrozenDict, label="Maximal contractions",
        help="Envelope of a maximal voluntary contraction of a channel; chosen in Edit ▸ EMG Channels.",
        shown=True)  # fmt: skip
    mvc_from: Mapping[str, str] = setting(
        factory=FrozenDict, label="Maximal contractions from",
        help="File that a maximal contraction is from; chosen in Edit ▸ EMG Channels.", shown=True)  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("channels", "mvc", "mvc_from"):
            object.__setattr__(self, name, FrozenDict(dict(getattr(self, name))))
        for channel, words in self.channels.items():
            side_and_muscle(channel, words)
        _ = self.options, EmgOptions(mvc=tuple(self.mvc.items()))  # refuse what cannot be filtered, or divided by

    @property
    def options(self) -> EmgOptions:
        """The same for `biomec.signals.emg.process_emg`."""
        return EmgOptions(band_hz=(self.low_hz, self.high_hz), envelope_cutoff_hz=self.envelope_hz)

    @property
    def table(self) -> MuscleTable:
        """The muscles, and the channels of both file and settings: everybody asks this one whose a channel is."""
        return load_muscles(self.muscles).with_channels(self.channels)


def side_and_muscle(channel: str, words: str) -> tuple[str, str]:
    """Side and muscle of "right rectus femoris"; two empty texts for `NO_MUSCLE`. Refuses other words."""
    if words == NO_MUSCLE:
        return "", ""
    side, _, muscle = words.partition(" ")
    if side not in (RIGHT, LEFT) or not muscle:
        raise BiomecError(
            f'EMG channel {channel}: "{words}" is not a side and a muscle, such as "right rectus femoris". Choose them '
            "in Edit ▸ EMG Channels."
        )
    return side, muscle


def _words(name: str) -> list[str]:
    """Words of a name, in lower case: "Voltage.RTibAnt2" -> voltage, r, tib, ant, 2."""
    parts = re.findall(r"[A-ZÀ-Þ]+(?=[A-ZÀ-Þ][a-zß-ÿ])|[A-ZÀ-Þ]?[a-zß-ÿ]+|[A-ZÀ-Þ]+|\d+", name)
    return [part.lower() for part in parts]


def _sides(words: list[str]) -> list[tuple[str, list[str]]]:
    """Sides that the words may mean, each with the words that are left for the muscle, the most likely first."""
    found = []
    for at in (0, len(words) - 1, *range(1, len(words) - 1)):
        if 0 <= at < len(words) and words[at] in SIDE_WORDS:
            found.append((SIDE_WORDS[words[at]], words[:at] + words[at + 1 :]))
    for at in (0, -1):  # "RTA", "TAL": the letter is part of the word
        if words and len(words[at]) > 1 and words[at][at] in "rl":
            rest = words[at][1:] if at == 0 else words[at][:-1]
            found.append((SIDE_WORDS[words[at][at]], [rest, *words[1:]] if at == 0 else [*words[:-1], rest]))
    return found


# ------------------------------------------------------------------------------------------------------------ the file
def parse_muscles(text: str, source: str) -> MuscleTable:
    """Muscles described in TOML ``text``; messages call it ``source``. Raises only `DescriptionError`."""
    top = read_toml(text, source, with_lines=True)
    top.only(FILE_KEYS)
    foot_off = float(top.numbers("foot_off", ()))
    if not 0.0 < foot_off < 100.0:
        raise top.refusal(f"foot_off is {foot_off:g}, and must lie between 0 and 100 % of the cycle.", "foot_off")
    muscles = tuple(_muscle_of(table) for table in top.tables("muscle"))
    names = [one.name for one in muscles]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise top.refusal(f"the muscle {twice[0]} is described twice. Keep one of them.")
    table = top.table("channels")
    channels = FrozenDict({key: _by_hand(table, key, names) for key in table.values})
    return MuscleTable(
        top.text("name"), top.text("title"), tuple(top.texts("sources")), top.text("note") if "note" in top else "",
        foot_off, muscles, channels,
    )  # fmt: skip


def _muscle_of(table: TomlTable) -> Muscle:
    table.only(MUSCLE_KEYS)
    rows = table.values.get("active", [])
    count = len(rows) if isinstance(rows, list) else 1
    active = (
        table.numbers("active", (count, 2), "a row is from and to, in % of the cycle") if rows else np.zeros((0, 2))
    )
    for first, last in active:
        if not 0.0 <= first < last <= 100.0:
            raise table.refusal(
                f"active from {first:g} to {last:g} % is not a stretch of the cycle, which goes from 0 to 100 %. Write "
                "activity around initial contact as two stretches.", "active")  # fmt: skip
    labels = tuple(table.texts("labels")) if "labels" in table else ()
    return Muscle(table.text("name"), labels, tuple((float(first), float(last)) for first, last in active))


def _by_hand(table: TomlTable, channel: str, muscles: Sequence[str]) -> tuple[str, str]:
    side, _, muscle = table.text(channel).partition(" ")
    if side not in (RIGHT, LEFT) or muscle not in muscles:
        raise table.refusal(
            f'"{table.text(channel)}" is not a side and a muscle of this file, such as "right {muscles[0]}".'
            if muscles else "channels are assigned, but no muscle is described.", channel)  # fmt: skip
    return side, muscle


MUSCLES = Descriptions("table of muscles", ("emg",), parse_muscles)
shipped_muscles, load_muscles = MUSCLES.shipped, MUSCLES.load
