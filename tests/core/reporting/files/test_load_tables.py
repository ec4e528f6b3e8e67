"""Files about where loads come from and what they are over cycles."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from biomec.body.loads.contributions import PARTS, TITLES
from biomec.body.loads.options import LoadOptions
from biomec.body.loads.residual_reduction import ReductionOptions
from biomec.pipeline.analysis import Analysis, Done, analyze
from biomec.pipeline.load_reading import part_of, parts_of
from biomec.pipeline.settings import AnalysisSettings, SignalSettings
from biomec.recording import Session
from biomec.reporting.files.load_tables import load_parts_csv, load_statistics_csv, loads_csv
from biomec.virtual import PushUp, RecordOptions, VirtualPerson, record
from tests.core.pipeline.pushing import computed_again, with_motion

UNFILTERED = AnalysisSettings(signals=SignalSettings(marker_filter=None, plate_filter=None))
RATE = 50.0


@pytest.fixture(scope="module")
def pushed() -> Analysis:
    one = record(PushUp("closed", cycles=2), VirtualPerson(), RecordOptions(RATE, RATE))
    return analyze(Session(one.dynamic, one.static, subject=one.person.subject), UNFILTERED)


def numbers(text: str) -> dict[str, np.ndarray]:
    head, *lines = csv.reader(io.StringIO(text))
    return dict(zip(head, np.array(lines, dtype=np.float64).T, strict=True))


@pytest.mark.parametrize(
    "options",
    [LoadOptions(), LoadOptions(constraints="all"), LoadOptions(root="pelvis", reduction=ReductionOptions())],
    ids=["plain", "with contacts", "reduced"],
)
def test_parts_of_the_file_sum_to_the_table_of_loads(pushed, options):
    analysis = pushed.with_settings(replace(UNFILTERED, loads=options)).run_until("loads")
    whole, parts = numbers(loads_csv(analysis)), numbers(load_parts_csv(analysis))
    names = [name for name in whole if " force [" in name or " moment [" in name or name.startswith("residual")]
    assert len(names) == 20 * 6 + 6
    assert len(parts) == 2 + 3 * len(names)
    for name in names:
        stem, rest = name.split(" [")
        total = sum(parts[f"{stem}, {TITLES[part]} [{rest}"] for part in PARTS)
        assert_allclose(total, whole[name], atol=1e-3)  # seven digits of parts of a kilonewton


def test_the_ground_asks_of_a_wrist_what_it_does_to_the_hand(pushed):
    external = pushed.loads.external
    hand = external.segments.index("right hand")
    part = part_of(pushed, "external")
    assert_allclose(part.force[:, part.index("right wrist")], -external.force[:, hand], atol=1e-9)


def test_frames_without_a_motion_have_no_parts(pushed):
    motion = pushed.motion
    lost = {name: getattr(motion, name).copy() for name in ("q", "qdot", "qddot")}
    for array in lost.values():
        array[20:23] = np.nan
    broken = computed_again(with_motion(pushed, replace(motion, **lost)), "loads")
    for part in PARTS:
        assert np.isnan(parts_of(broken).part(part).force[20:23]).all()


def test_statistics_of_every_cycle_with_mean_and_deviation(pushed):
    rows = list(csv.DictReader(io.StringIO(load_statistics_csv(pushed))))
    cycles = pushed.cycles.groups["both"]
    spans = np.asarray(cycles.spans)[np.asarray(cycles.valid)]
    assert len(spans) == 2
    assert len(rows) == (len(spans) + 2) * 20 * 7  # six components and a power of 20 joints
    table = numbers(loads_csv(pushed))
    name = "right knee superior force"
    mine = {row["cycle"]: row for row in rows if row["load"] == name}
    peaks = []
    for k, (first, last) in enumerate(spans):
        row, part = mine[str(k + 1)], table[f"{name} [multibody, joint axes, internal] (N)"][first : last + 1]
        t = np.arange(len(part)) / RATE
        peaks.append(part[np.abs(part).argmax()])
        assert float(row["peak"]) == pytest.approx(peaks[-1], rel=1e-5)
        assert float(row["impulse (unit s)"]) == pytest.approx(np.trapezoid(part, t), rel=1e-5)
        assert float(row["rms"]) == pytest.approx(np.sqrt(np.trapezoid(part**2, t) / t[-1]), rel=1e-5)
        assert int(row["last frame"]) - int(row["first frame"]) == last - first
        assert (row["unit"], row["joint"]) == ("N", "right knee")
        assert (row["method"], row["axes"], row["sign"]) == ("multibody", "joint", "internal")
    assert float(mine["mean"]["peak"]) == pytest.approx(np.mean(peaks), rel=1e-5)
    assert float(mine["sd"]["peak"]) == pytest.approx(np.std(peaks, ddof=1), rel=1e-2, abs=1e-5)
    assert float(mine["1"]["frames that can be used (%)"]) == 100.0


def test_work_of_a_cycle_is_delivered_and_taken_up(pushed):
    rows = [
        row for row in csv.DictReader(io.StringIO(load_statistics_csv(pushed))) if row["load"] == "right elbow power"
    ]
    assert [row["cycle"] for row in rows] == ["1", "2", "mean", "sd"]
    for row in rows[:3]:
        work = float(row["work delivered (J)"]) + float(row["work taken up (J)"])
        assert work == pytest.approx(float(row["impulse (unit s)"]), abs=1e-3)  # net work is the integral of power
        assert float(row["work delivered (J)"]) > 50.0 > -50.0 > float(row["work taken up (J)"])
    curve = numbers(loads_csv(pushed))["right elbow power [multibody] (W)"]
    first, last = pushed.cycles.groups["both"].spans[0]
    above = np.trapezoid(np.maximum(curve[first : last + 1], 0.0), dx=1.0 / RATE)
    assert float(rows[0]["work delivered (J)"]) == pytest.approx(above, rel=0.01)  # but for the samples at zero
    assert rows[0]["unit"] == "W"


def test_without_cycles_there_are_only_the_heads_of_the_columns(pushed):
    none = replace(pushed.cycles, groups={}, curves={})
    bare = replace(pushed, done={**pushed.done, "cycles": Done(none, "")})
    assert load_statistics_csv(bare).count("\n") == 1


def test_cycles_keep_their_numbers_where_one_is_not_valid(pushed):
    """The second cycle was called the first, unlike in every list of cycles."""
    cycles = pushed.cycles.groups["both"]
    second = replace(cycles, excluded=cycles.borders[:1])
    found = replace(pushed.cycles, groups={"both": second})
    rows = csv.DictReader(
        io.StringIO(load_statistics_csv(replace(pushed, done={**pushed.done, "cycles": Done(found, "")})))
    )
    row = next(rows)
    assert row["cycle"] == "2"
    assert int(row["first frame"]) == pushed.signals.trial.first_frame + cycles.spans[1][0]
