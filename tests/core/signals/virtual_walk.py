"""A walker of whom everything is known: where and when each foot stands, what every plate must read, and the mass.

Z points up, the walk goes along +y. Each foot stands still from strike to off and swings along a cycloid; forces pass
from foot to foot along sin²; the whole body bobs with the total force it is given, so momentum balances exactly.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from biomec.base.physics import GRAVITY
from biomec.recording import Event, ForcePlate, LabAxes, Markers, Source, Subject, Trial
from biomec.signals.kinematic_events import GaitMarkers

SEGMENTS = {
    f"Pe_{end}": [side + name for name in ("HEE", "TOE", "ANK", "LAT")] for end, side in (("D", "R"), ("E", "L"))
}
GAIT = GaitMarkers(("SACR",), {"Left": "LHEE", "Right": "RHEE"}, {"Left": "LTOE", "Right": "RTOE"})
SOLE = {"HEE": (0.0, 0.0), "ANK": (0.03, 0.05), "LAT": (0.05, 0.15), "TOE": (0.0, 0.2)}  # (outwards, forwards) [m]
UP = np.array([0.0, 0.0, 1.0])
Z_UP = LabAxes("+z", "+y")


@dataclass(frozen=True)
class Walk:
    """The walker: stride time T, stance share, step length, where plates lie and what is wrong with them."""

    mass: float = 60.0
    stride_s: float = 1.0
    stance: float = 0.6
    step_m: float = 0.6
    width_m: float = 0.16
    bob: float = 0.15  # amplitude of the total force over the weight
    first_strike_s: float = 0.3  # of the right foot; left and right follow each other by half a stride
    duration_s: float = 3.0
    rate_hz: float = 100.0
    plate_rate_hz: float = 1000.0
    plates_for: tuple[int, ...] = (0, 1)  # steps that land in the middle of a plate
    plate_size: tuple[float, float] = (0.3, 0.5)
    plate_shift: dict[int, tuple[float, float]] = field(default_factory=dict)
    wide_plate: bool = False  # one plate under everything
    offset_n: float = 0.0
    drift_n_s: float = 0.0
    noise_n: float = 0.0
    marker_noise_m: float = 0.0

    @property
    def speed(self) -> float:
        return 2 * self.step_m / self.stride_s

    def strike_s(self, step: int) -> float:
        return self.first_strike_s + step * self.stride_s / 2

    def off_s(self, step: int) -> float:
        return self.strike_s(step) + self.stance * self.stride_s

    def side(self, step: int) -> str:
        return "R" if step % 2 == 0 else "L"

    def heel(self, step: int) -> np.ndarray:
        """Where the heel of a step stands."""
        x = self.width_m / 2 if self.side(step) == "R" else -self.width_m / 2
        return np.array([x, self.step_m * step, 0.03])

    def share(self, step: int, t: np.ndarray) -> np.ndarray:
        """Share of the weight that a step carries: sin² up, 1, cos² down."""
        both = (self.stance - 0.5) * self.stride_s
        up = np.sin(0.5 * np.pi * np.clip((t - self.strike_s(step)) / both, 0, 1)) ** 2
        down = np.cos(0.5 * np.pi * np.clip((t - self.off_s(step) + both) / both, 0, 1)) ** 2
        return np.where((t > self.strike_s(step)) & (t < self.off_s(step)), up * down, 0.0)

    def total(self, t: np.ndarray) -> np.ndarray:
        """Vertical force of the whole body [N]."""
        return self.mass * GRAVITY * (1 + self.bob * np.cos(4 * np.pi * (t - self.first_strike_s) / self.stride_s))

    def height(self, t: np.ndarray) -> np.ndarray:
        """Rise of the centre of mass, from F = m (g + a)."""
        omega = 4 * np.pi / self.stride_s
        return -self.bob * GRAVITY / omega**2 * np.cos(omega * (t - self.first_strike_s))

    def cop(self, step: int, t: np.ndarray) -> np.ndarray:
        """From heel to toe at a constant speed."""
        s = np.clip((t - self.strike_s(step)) / (self.stance * self.stride_s), 0, 1)
        return (
            self.heel(step) * [1, 1, 0]
            + s[:, None] * [0.0, 0.2, 0.0]
            + [0.01 if self.side(step) == "R" else -0.01, 0, 0]
        )

    def force(self, step: int, t: np.ndarray) -> np.ndarray:
        vertical = self.share(step, t) * self.total(t)
        s = np.clip((t - self.strike_s(step)) / (self.stance * self.stride_s), 0, 1)
        return vertical[:, None] * np.stack([0.02 + 0 * s, -0.15 * np.cos(np.pi * s), 1 + 0 * s], axis=1)

    def free_moment(self, step: int, t: np.ndarray) -> np.ndarray:
        return 0.005 * self.force(step, t)[:, 2:] * UP

    @property
    def steps(self) -> range:
        return range(-6, int(2 * self.duration_s / self.stride_s) + 4)

    def foot(self, side: str, t: np.ndarray) -> np.ndarray:
        """Heel: still on its landing place, then along a cycloid to the next."""
        path = np.full((len(t), 3), np.nan)
        swing = (1 - self.stance) * self.stride_s
        for step in self.steps:
            if self.side(step) != side:
                continue
            stands = (t >= self.strike_s(step)) & (t < self.off_s(step))
            path[stands] = self.heel(step)
            flies = (t >= self.off_s(step)) & (t < self.strike_s(step + 2))
            s = (t[flies] - self.off_s(step)) / swing
            move = (s - np.sin(2 * np.pi * s) / (2 * np.pi))[:, None] * (self.heel(step + 2) - self.heel(step))
            path[flies] = self.heel(step) + move + 0.08 * np.sin(np.pi * s)[:, None] ** 2 * UP
        return path

    def plates(self) -> list[ForcePlate]:
        t = np.arange(round(self.duration_s * self.plate_rate_hz)) / self.plate_rate_hz
        rng = np.random.default_rng(1)
        plates = []
        everything = [list(self.steps)] if self.wide_plate else [[step] for step in self.plates_for]
        for k, steps in enumerate(everything):
            middle = self.heel(steps[0]) * [1, 1, 0] + [0, 0.1, 0]
            middle = middle + np.array([*self.plate_shift.get(k, (0.0, 0.0)), 0.0])
            half = np.array(self.plate_size) / 2
            if self.wide_plate:
                middle, half = np.array([0.0, 1.0, 0.0]), np.array([1.0, 10.0])
            corners = middle + np.array([[1, 1, 0], [-1, 1, 0], [-1, -1, 0], [1, -1, 0]]) * [*half, 0]
            force, moment = np.zeros((len(t), 3)), np.zeros((len(t), 3))
            for step in steps:
                f = self.force(step, t)
                force += f
                moment += np.cross(self.cop(step, t) - middle, f) + self.free_moment(step, t)
            reading = self.offset_n + self.drift_n_s * t
            force = force + reading[:, None] * UP + self.noise_n * rng.normal(size=force.shape)
            plates.append(ForcePlate(f"Plate {k + 1}", force, moment, self.plate_rate_hz, middle, UP, corners, 2))
        return plates

    def trial(self) -> Trial:
        t = np.arange(round(self.duration_s * self.rate_hz)) / self.rate_hz
        names, paths = [], []
        for side, out in (("R", 1.0), ("L", -1.0)):
            heel = self.foot(side, t)
            for name, (outwards, forwards) in SOLE.items():
                names.append(side + name)
                paths.append(heel + np.array([out * outwards, forwards, 0.0]))
        pelvis = np.stack([0 * t, self.speed * (t - self.first_strike_s) - 0.2, 0.9 + self.height(t)], axis=1)
        names.append("SACR")
        paths.append(pelvis)
        points = np.stack(paths, axis=1)
        points = points + self.marker_noise_m * np.random.default_rng(2).normal(size=points.shape)
        return Trial(
            source=Source("walk.c3d", "C3D", "0" * 64, 0),
            markers=Markers(tuple(names), points, self.rate_hz),
            axes=Z_UP,
            subject=Subject("walker", mass_kg=self.mass),
            plates=tuple(self.plates()),
        )

    def events(self) -> list[Event]:
        """True strikes and offs within the recording."""
        sides = {"R": "Right", "L": "Left"}
        found = []
        for step in self.steps:
            found.append(Event(self.strike_s(step), "Foot Strike", sides[self.side(step)], "truth"))
            found.append(Event(self.off_s(step), "Foot Off", sides[self.side(step)], "truth"))
        return sorted(e for e in found if 0 < e.time_s < self.duration_s)


def standing(mass: float = 60.0, gap_m: float = 0.3, noise_n: float = 0.5) -> Trial:
    """Both feet at rest on one plate for two seconds."""
    walk = Walk(mass=mass)
    t = np.arange(200) / 100.0
    names, paths = [], []
    for side, out in (("R", 1.0), ("L", -1.0)):
        for name, (outwards, forwards) in SOLE.items():
            names.append(side + name)
            paths.append(np.tile([out * (gap_m / 2 + outwards), forwards, 0.03], (len(t), 1)))
    points = np.stack(paths, axis=1)
    force = np.zeros((2000, 3))
    force[:, 2] = mass * GRAVITY + noise_n * np.random.default_rng(3).normal(size=2000)
    corners = np.array([[0.3, 0.4, 0], [-0.3, 0.4, 0], [-0.3, -0.2, 0], [0.3, -0.2, 0]])
    plate = ForcePlate.from_centre_of_pressure(
        "Plate 1", force, np.tile([0.0, 0.1, 0.0], (2000, 1)), np.zeros((2000, 3)), 1000.0, UP, corners=corners
    )
    return replace(walk.trial(), markers=Markers(tuple(names), points, 100.0), plates=(plate,))
