"""What a reconstruction tells its user: which gaps stay open, where, how long, and what to do."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from biomec.base.arrays import BoolArray
from biomec.base.notices import Notice, info, problem, warning
from biomec.recording import Trial
from biomec.recording.marker_set import MarkerSet
from biomec.signals.static_pose import StaticPose
from biomec.signals.stretches import stretches

NAMED = 6  # markers that a sentence names
FEWEST_KNOWN = 0.2  # of the trial's markers, or of the set's: sets share a few labels (C7) by chance


@dataclass(frozen=True)
class GapReporter:
    """Words about one trial."""

    trial: Trial
    static: StaticPose
    marker_set: MarkerSet
    limit_s: float

    def no_marker_of_the_set(self) -> list[Notice]:
        """A problem if nothing in the trial belongs to the set, or next to nothing of both: it is another set."""
        there = self.trial.markers.names
        known = [name for name in there if name in self.marker_set]
        if known and len(known) >= FEWEST_KNOWN * min(len(there), len(self.marker_set.followed)):
            return []
        none = f"Only {', '.join(known)}" if known else "No marker"
        labels = (
            f"it has {', '.join(there[:8])}{' and more' if len(there) > 8 else ''}" if there else "it has no markers"
        )
        return [
            problem(
                "no-marker-of-the-set",
                f"{none} of the set {self.marker_set.name} is in {self.trial.source.name}: {labels}. Next to nothing "
                "can be rebuilt. Choose the set that was used, or map the labels to it first.",
            )
        ]

    def gaps(self, missing: Mapping[str, BoolArray]) -> list[Notice]:
        """One notice for every stretch in which markers that are seen at times stay missing.

        Markers that vanish and come back in the same frames share one: a frozen stretch hides all of them at once.
        """
        together: dict[tuple[int, int], list[str]] = {}
        for name, absent in missing.items():
            for first, stop in stretches(absent).tolist():
                together.setdefault((first, stop), []).append(name)
        return [self._gap(names, first, stop, len(missing[names[0]])) for (first, stop), names in together.items()]

    def _gap(self, names: list[str], first: int, stop: int, frames: int) -> Notice:
        """Words about one stretch of some markers."""
        file, rate, start = self.trial.source.name, self.trial.rate_hz, self.trial.first_frame
        last, seconds, another = stop - 1, (stop - first) / rate, ""
        if len(names) == 1:
            which, another = f"Marker {names[0]} is hidden", self._or_another(names[0])
        elif len(names) <= NAMED:
            which = f"Markers {', '.join(names[:-1])} and {names[-1]} are hidden"
        else:
            which = f"{len(names)} markers ({', '.join(names[:NAMED])} …) are hidden"
        where = f"{which} from frame {start + first} to {start + last} ({seconds:.2f} s) in {file}"
        if first == 0 or last == frames - 1:
            end = "before" if first == 0 else "after"
            words = f"{where}, and there is no sample {end} it. Nothing is extrapolated. Cut the stretch off{another}."
            return warning("gap-at-end", words, *names, frames=(first, last))
        words = (
            f"{where}. Gaps longer than {self.limit_s:.2f} s are not filled, because the path in between would be a "
            f"guess. Shorten the stretch{another}."
        )
        return warning("gap-too-long", words, *names, frames=(first, last))

    def never_seen(self, names: Iterable[str], seen: Iterable[str]) -> list[Notice]:
        """Return one problem of all markers that stay missing in all frames, and one warning of those to spare.

        seen : markers that are measured or rebuilt in some frame
        """
        absent, there = sorted(set(names)), set(seen)
        spare = [name for name in absent if self._spare(name, there)]
        needed = [name for name in absent if name not in spare]
        notices = []
        if needed:
            notices.append(problem("marker-never-seen", self._never_seen(needed), *needed))
        if spare:
            words = f"{self._never_seen(spare)} No segment depends on {'them' if len(spare) > 1 else 'it'}."
            notices.append(warning("marker-never-seen", words, *spare))
        return notices

    def _spare(self, name: str, seen: set[str]) -> bool:
        """Whether a marker is not a landmark that a segment needs, and three others follow its segment."""
        if name not in self.marker_set:
            return True
        marker = self.marker_set[name]
        fellows = [m for m in self.marker_set.markers if m.name in seen and set(marker.segments[:1]) & set(m.segments)]
        return (marker.technical or marker.optional) and len(fellows) >= 3

    def _never_seen(self, names: list[str]) -> str:
        reasons: dict[str, list[str]] = {}
        for name in names:
            reasons.setdefault(self._why_not_rebuilt(name), []).append(name)
        words = "; ".join(f"{', '.join(group)} ({why})" for why, group in reasons.items())
        which = "1 marker is" if len(names) == 1 else f"{len(names)} markers are"
        return f"{which} in no frame of {self.trial.source.name} and cannot be rebuilt: {words}."

    def _why_not_rebuilt(self, name: str) -> str:
        if name not in self.marker_set:
            return f"not of the set {self.marker_set.name}"
        if name not in self.static:
            return "not in the static acquisition either"
        donors = self.marker_set[name].rebuilt_by
        if len(set(donors) - {name}) < 3:
            return "fewer than three other markers of the segment are placed"
        return f"no frame shows three of {', '.join(donors)}, which rebuild the segment"

    def _or_another(self, name: str) -> str:
        segments = self.marker_set[name].segments if name in self.marker_set else ()
        return f", or use another marker of the {segments[0]}" if segments else ""


def rebuilt_far_off(trial: Trial, rms_m: Mapping[str, float], limit_m: float, used: Collection[str]) -> list[Notice]:
    """One notice of the markers whose rebuilt places lie far from where they were measured.

    used : markers that are rebuilt in some frame; where no far one is, nothing rests on it, and it is a remark
    """
    far = {name: rms for name, rms in rms_m.items() if rms > limit_m}  # NaN compares as not far
    if not far:
        return []
    listed = ", ".join(f"{name} {1e3 * rms:.0f} mm" for name, rms in sorted(far.items(), key=lambda one: -one[1]))
    return [
        (warning if far.keys() & set(used) else info)(
            "rebuilt-far-off",
            f"In {trial.source.name} these markers, rebuilt from the static, lie further than {1e3 * limit_m:.0f} mm "
            f"(rms) from where they were measured: {listed}. Do not trust them where they are rebuilt; check the "
            "static and the labels.",
            *far,
        )
    ]


def summary(trial: Trial, shares: Mapping[str, float], whole: float, computed: Sequence[str]) -> list[Notice]:
    """One sentence about the whole trial, if anything was repaired or stays missing, and one of markers it never shows.

    shares   : origin of samples -> their share among those of markers that were seen
    whole    : share of the frames in which all of these were measured
    computed : markers that were rebuilt and never seen, such as those of the static only; they do not count
    """
    notices, kinds = [], ("measured", "rebuilt", "interpolated", "missing")
    if any(shares[kind] for kind in kinds[1:]):
        listed = ", ".join(f"{_percent(shares[kind])} {kind}" for kind in kinds)
        words = (
            f"Marker samples of {trial.source.name}: {listed}. In {_percent(whole)} of the frames all were measured."
        )
        notices.append(info("reconstruction", words))
    if computed:
        which = "1 marker is" if len(computed) == 1 else f"{len(computed)} markers are"
        words = (
            f"{which} only in the static, and computed in every frame of {trial.source.name}: {', '.join(computed)}."
        )
        notices.append(info("markers-computed", words, *computed))
    return notices


def _percent(share: float) -> str:
    """A share in percent; what is there is never 0 %, and what is not all never 100 %."""
    text = f"{100.0 * share:.1f} %"
    return {"0.0 %": "< 0.1 %" if share else "0 %", "100.0 %": "100 %" if share == 1.0 else "> 99.9 %"}.get(text, text)
