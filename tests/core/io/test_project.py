"""The project file: what is saved comes back bit for bit, and nothing that was saved is ever lost."""

import hashlib
import os
import signal
import stat
import subprocess
import sys
import time
from dataclasses import fields, is_dataclass, replace
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from biomec import __version__
from biomec.base.errors import BiomecError, FileError
from biomec.base.notices import problem
from biomec.io.project import BLOCK, MAGIC, SCHEMA, ProjectHeader, load_project, save_project
from biomec.recording import (
    ClinicalNotes,
    EmgAlignment,
    ExcludedCycle,
    Original,
    Record,
    Result,
    Session,
    Source,
    Subject,
)
from tests.core.recording.examples import full_trial
from tests.places import ROOT


def assert_same(a, b, where="session") -> None:
    """Bit for bit: arrays with type, shape and bytes, tables with order, everything else by value."""
    if isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), where
        assert a.tobytes() == b.tobytes(), where
    elif is_dataclass(a):
        assert type(a) is type(b), where
        for field in fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name), f"{where}.{field.name}")
    elif hasattr(a, "keys"):
        assert list(a) == list(b), where
        for key in a:
            assert_same(a[key], b[key], f"{where}[{key!r}]")
    elif isinstance(a, tuple):
        assert len(a) == len(b), where
        for k, (one, other) in enumerate(zip(a, b, strict=True)):
            assert_same(one, other, f"{where}[{k}]")
    elif isinstance(a, float):
        assert np.float64(a).tobytes() == np.float64(b).tobytes(), where
    else:
        assert (type(a), a) == (type(b), b), where


def full_session() -> Session:
    """A session in which no part is empty."""
    content = b"BTS ASCII format\r\n\x00\xff"
    return Session(
        full_trial(),
        full_trial(frames=5, seed=2),
        EmgAlignment(11, 50),
        Subject("Arthur", "male", 71.5, measures={"knee_width_E": 0.102}),
        full_trial().recorded,
        {"cutoff_hz": 6.0, "names": ["Mão", "\udcff", "a\0b"], "deep": {"z": None, "a": [True, -0.0, 1e-323]}},
        {
            "kinematics/angles": Result({"q": np.arange(6.0).reshape(2, 3), "json": np.array(7)}, {"unit": "rad"}),
            "empty": Result(),
        },
        (Record("import", "2026-03-01T12:00:00Z", "0.1", {"a": [1]}, {"dynamic": "ab"}),),
        (Original(Source.of_bytes("a.emt", "EMT", content), content), Original(Source.of_bytes("b", "C3D", b""), b"")),
        (problem("static-missing", "There is no static.", "static"),),
        ClinicalNotes(findings="Crouch,\nboth sides. ü", excluded_cycles=(ExcludedCycle("left", 12, "stumbled"),)),
    )


def test_a_full_session_comes_back_bit_for_bit(tmp_path):
    path = tmp_path / "sessão ü 動.biomec"
    session = full_session()
    save_project(session, path)
    loaded = load_project(path)
    assert_same(loaded, session)
    assert_same(load_project(str(path)), session)


def test_saving_what_was_loaded_gives_the_same_file(tmp_path):
    first, second = tmp_path / "a.biomec", tmp_path / "b.biomec"
    save_project(full_session(), first)
    save_project(load_project(first), second)
    assert first.read_bytes() == second.read_bytes()


def test_what_was_loaded_cannot_be_written_to(tmp_path):
    save_project(full_session(), tmp_path / "a.biomec")
    loaded = load_project(tmp_path / "a.biomec")
    for array in (loaded.dynamic.markers.p_WM, loaded.dynamic.emg.values, loaded.results["kinematics/angles"]["q"]):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


NUMBERS = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="?"),
    hnp.floating_dtypes(endianness="?"),
    hnp.complex_number_dtypes(endianness="?"),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_array_of_numbers_comes_back_bit_for_bit(tmp_path, data):
    dtype = data.draw(NUMBERS)
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
    if dtype.kind == "b":
        array = data.draw(hnp.arrays(dtype, shape))
    else:  # any bits at all: signalling and payload NaN, subnormal numbers, infinities
        size = int(np.prod(shape)) * dtype.itemsize
        array = np.frombuffer(bytearray(data.draw(st.binary(min_size=size, max_size=size))), dtype).reshape(shape)
    name = data.draw(st.text(max_size=8))
    session = Session(full_trial(frames=1), results={name: Result({name: array, name + "x": array.T})})
    save_project(session, tmp_path / "a.biomec")
    assert_same(load_project(tmp_path / "a.biomec").results, session.results)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@example({"x": float(np.array(0x7FF8000000000001, np.uint64).view(np.float64))})  # a NaN that carries a payload
@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4))
def test_any_settings_come_back(tmp_path, chosen):
    session = Session(full_trial(frames=1), settings=chosen)
    save_project(session, tmp_path / "a.biomec")
    assert_same(load_project(tmp_path / "a.biomec").settings, session.settings)


def test_other_programs_read_it_as_hdf5(tmp_path):
    save_project(full_session(), tmp_path / "a.biomec")
    with h5py.File(tmp_path / "a.biomec", "r") as file:
        assert file.userblock_size == BLOCK
        assert (file.attrs["format"], int(file.attrs["schema"])) == ("biomec project", SCHEMA)
        np.testing.assert_array_equal(file["dynamic/markers/p_WM"][()], full_trial().markers.p_WM)
    start = (tmp_path / "a.biomec").read_bytes()[:BLOCK].decode("ascii").split("\n")
    assert start[:3] == ["BIOMEC PROJECT", f"schema {SCHEMA}", f"biomec {__version__}"]


# ---------------------------------------------------------------------------- files that are not projects
def fault(path: Path) -> str:
    before = path.read_bytes()
    with pytest.raises(FileError) as refused:
        load_project(path)
    assert path.read_bytes() == before
    assert str(refused.value).startswith(path.name)
    return refused.value.fault


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("project") / "a.biomec"
    save_project(replace(full_session(), originals=()), path)
    return path.read_bytes()


def test_a_file_that_is_cut_says_so_wherever_it_is_cut(saved, tmp_path):
    path = tmp_path / "cut.biomec"
    for length in (*range(BLOCK, len(saved), 4096), len(saved) - 1):
        path.write_bytes(saved[:length])
        assert "cut short" in fault(path)
    for length in range(1, BLOCK, 37):
        path.write_bytes(saved[:length])
        assert "another kind" in fault(path) if length < len(MAGIC) else fault(path)
    path.write_bytes(b"")
    assert "is empty" in fault(path)


def test_any_flipped_bit_is_noticed(saved, tmp_path):
    path = tmp_path / "bit.biomec"
    rng = np.random.default_rng(5)
    for position in (*range(0, BLOCK, 7), *rng.integers(BLOCK, len(saved), 150)):
        damaged = bytearray(saved)
        damaged[position] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        assert fault(path)


def test_bytes_behind_the_end_are_noticed(saved, tmp_path):
    path = tmp_path / "long.biomec"
    path.write_bytes(saved + b"\0")
    assert "another program has changed it" in fault(path)


def test_files_of_other_kinds_are_named_as_such(tmp_path):
    path = tmp_path / "other.biomec"
    with h5py.File(path, "w") as file:
        file["x"] = 1
    assert "an HDF5 file of another program" in fault(path)
    path.write_text("BTS ASCII format\n")
    assert "a file of another kind" in fault(path)


def sealed(body: bytes, schema: int, version: str) -> bytes:
    """A file whose seal is right, whatever is in it."""
    header = ProjectHeader(schema, version, len(body), "")
    digest = hashlib.sha256(header.signed_text + body).hexdigest()
    return ProjectHeader(schema, version, len(body), digest).block + body


def test_a_project_of_a_newer_biomec_asks_for_an_update(saved, tmp_path):
    path = tmp_path / "new.biomec"
    path.write_bytes(sealed(saved[BLOCK:], SCHEMA + 1, "9.1"))
    assert f"saved by Biomec 9.1 (schema {SCHEMA + 1})" in fault(path)
    with pytest.raises(FileError, match=r"newer Biomec 9\.1 has this name"):
        save_project(full_session(), path)
    assert path.read_bytes() == sealed(saved[BLOCK:], SCHEMA + 1, "9.1")


@pytest.mark.parametrize("missing", ["session", "dynamic", "dynamic/json", "dynamic/markers", "results"])
def test_a_sealed_file_with_other_content_is_refused_with_a_sentence(missing, saved, tmp_path):
    path = tmp_path / "odd.biomec"
    path.write_bytes(saved)
    with h5py.File(path, "r+") as file:
        del file[missing]
    path.write_bytes(sealed(path.read_bytes()[BLOCK:], SCHEMA, "0.1"))
    assert "unexpected content" in fault(path)


def test_a_sealed_file_without_hdf5_is_refused_with_a_sentence(tmp_path):
    path = tmp_path / "odd.biomec"
    path.write_bytes(sealed(b"nothing", SCHEMA, "0.1"))
    assert "cannot be read" in fault(path)


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(FileError, match=r"gone\.biomec: cannot be read"):
        load_project(tmp_path / "gone.biomec")
    with pytest.raises(FileError, match="this is a folder"):
        load_project(tmp_path)
    with pytest.raises(FileError, match="folder"):
        save_project(full_session(), tmp_path)
    with pytest.raises(FileError):
        save_project(full_session(), tmp_path / "no such folder" / "a.biomec")


def test_a_recording_is_not_overwritten_by_a_project(tmp_path):
    path = tmp_path / "walk.c3d"
    path.write_bytes(b"\x02\x50 recorded once, never again")
    with pytest.raises(FileError, match="of another kind has this name and is not overwritten"):
        save_project(full_session(), path)
    assert path.read_bytes() == b"\x02\x50 recorded once, never again"


def test_a_damaged_project_may_be_saved_over(saved, tmp_path):
    path = tmp_path / "a.biomec"
    path.write_bytes(saved[:700])
    save_project(full_session(), path)
    assert_same(load_project(path), full_session())


def test_what_cannot_be_stored_leaves_the_old_project(tmp_path, monkeypatch):
    path = tmp_path / "a.biomec"
    save_project(full_session(), path)
    before = path.read_bytes()

    def broken(*_):
        raise BiomecError("cannot")

    monkeypatch.setattr("biomec.io.project.write_trial_group", broken)
    with pytest.raises(BiomecError):
        save_project(full_session(), path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["a.biomec"]


# ------------------------------------------------------------------------------------------- power cuts, full disks
KILLED_AT_EVERY_STEP = """
import os, signal, sys
from pathlib import Path
import numpy as np
from biomec.io.project import load_project, save_project
from biomec.recording import Result
from tests.core.io.test_project import full_session

path = Path(sys.argv[1])
old = full_session().with_settings(version=0)
save_project(old, path)

def save_and_die_at(moment):
    # every call and every return, in Python and in C, is a moment to die at
    count = 0
    def step(frame, event, argument):
        nonlocal count
        count += 1
        if count == moment:
            os.kill(os.getpid(), signal.SIGKILL)
    new = old.with_settings(version=moment).with_result("big", Result({"x": np.zeros(50000)}))
    sys.setprofile(step)
    save_project(new, path)
    sys.setprofile(None)
    return count

total = save_and_die_at(0)
save_project(old, path)
killed = saved = 0
moments = sorted({*np.linspace(1, total, 60).astype(int), *range(total - 80, total + 1)})
for moment in moments:
    child = os.fork()
    if child == 0:
        save_and_die_at(moment)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    killed += os.WIFSIGNALED(status)
    for leftover in path.parent.glob(".*.part"):  # looking at them would move the later steps
        leftover.unlink()
    loaded = load_project(path)
    assert loaded.settings["version"] in (0, moment), (loaded.settings["version"], moment)
    if loaded.settings["version"] == moment:
        saved += 1
        assert loaded.results["big"]["x"].shape == (50000,)
        save_project(old, path)
print(killed, saved)
"""


def run_script(script: str, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
    root = ROOT
    environment = os.environ | {"PYTHONPATH": f"{root / 'core'}{os.pathsep}{root}", "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, "-c", script, *arguments], env=environment, capture_output=True, text=True, **options
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
def test_killed_at_any_step_of_saving_the_last_saved_project_is_there(tmp_path):
    run = run_script(KILLED_AT_EVERY_STEP, str(tmp_path / "a.biomec"))
    assert run.returncode == 0, run.stderr
    killed, saved = map(int, run.stdout.split())
    assert killed > 90, run.stdout  # of moments before the end
    assert 0 < saved < killed, run.stdout  # some died after the new file was in place, most before


SAVE_FOREVER = """
import sys
from pathlib import Path
import numpy as np
from biomec.io.project import save_project
from biomec.recording import Result
from tests.core.io.test_project import full_session

session = full_session().with_result("big", Result({"x": np.zeros(1_000_000)}))
print("ready", flush=True)
version = 0
while True:
    version += 1
    save_project(session.with_settings(version=version), Path(sys.argv[1]))
"""


def test_killed_from_outside_at_any_time_the_last_saved_project_is_there(tmp_path):
    path = tmp_path / "a.biomec"
    save_project(full_session().with_settings(version=0), path)
    root = ROOT
    environment = os.environ | {"PYTHONPATH": f"{root / 'core'}{os.pathsep}{root}", "OPENBLAS_NUM_THREADS": "1"}
    rng = np.random.default_rng(0)
    for _ in range(4):
        program = subprocess.Popen(
            [sys.executable, "-c", SAVE_FOREVER, str(path)], env=environment, stdout=subprocess.PIPE, text=True
        )
        assert program.stdout.readline() == "ready\n"
        time.sleep(rng.uniform(0.02, 0.3))
        program.send_signal(signal.SIGKILL)
        program.wait()
        program.stdout.close()
        assert load_project(path).settings["version"] >= 0


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
import numpy as np
from biomec.base.errors import FileError
from biomec.io.project import load_project, save_project
from biomec.recording import Result
from tests.core.io.test_project import full_session

path = Path(sys.argv[1])
save_project(full_session(), path)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))  # the system's own "no more room"
try:
    save_project(full_session().with_result("big", Result({"x": np.zeros(100_000)})), path)
except FileError as error:
    print(error)
assert not load_project(path).results.get("big")
"""


def test_a_full_disk_is_a_sentence_and_the_old_project_stays(tmp_path):
    run = run_script(FULL_DISK, str(tmp_path / "a.biomec"))
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("a.biomec: ")
    assert os.listdir(tmp_path) == ["a.biomec"]


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="the administrator may write everywhere")
def test_a_folder_that_may_not_be_written_to(tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(FileError, match="Permission denied"):
        save_project(full_session(), folder / "a.biomec")
    folder.chmod(stat.S_IRWXU)


def test_saving_needs_little_more_memory_than_the_data(tmp_path):
    """Five minutes, 100 markers, 200 Hz: 144 MB. Once in the session, once in the file's image, and little else."""
    script = """
import resource, sys
from dataclasses import replace
from pathlib import Path
import numpy as np
from biomec.io.project import load_project, save_project
from biomec.recording import Markers, Session
from tests.core.recording.examples import full_trial
p = np.zeros((60000, 100, 3)); p += 1.0; p.setflags(write=False)
trial = replace(full_trial(1), unlabelled=None, other_subjects={}, outputs=None, events=(),
                markers=Markers(tuple(map(str, range(100))), p, 200.0))
start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
save_project(Session(trial), Path(sys.argv[1]))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) * 1024 / p.nbytes)
"""
    run = run_script(script, str(tmp_path / "a.biomec"))
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) < 1.5
