"""Full disk, read-only disk, broken disk and power loss at every operation on files: the old or the new file loads."""

import os
import subprocess
import sys

import numpy as np
import pytest

from biomec.base.errors import FileError
from biomec.io.registry import write_trial
from tests.core.recording.examples import full_trial
from tests.faults.cases import CASES
from tests.faults.disks import FAULTS, fail_everywhere, lose_power
from tests.faults.layer import Files, after_power_loss
from tests.places import ROOT

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks /proc which file a handle is")
CHEAP = tuple(case for case in CASES if case.cheap)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("case", CHEAP, ids=lambda case: case.name)
def test_a_disk_that_fails_at_any_operation_leaves_the_old_or_the_new(case, fault, qapp, tmp_path):
    assert fail_everywhere(case, fault, tmp_path) > 6


@pytest.mark.parametrize("old", [0, None])
@pytest.mark.parametrize("case", CHEAP, ids=lambda case: case.name)
def test_after_power_loss_the_old_or_the_new_is_there(case, old, qapp, tmp_path):
    assert lose_power(case, old, tmp_path) > 2


def test_the_layer_notices_a_save_without_flushes(tmp_path):
    """The check itself: without flushes, a power loss may leave an empty file or the old name."""
    path = tmp_path / "a.txt"
    path.write_text("old")
    with Files(tmp_path) as files:
        (tmp_path / "b.txt").write_text("new")
        os.replace(tmp_path / "b.txt", path)
    found = {left["a.txt"] for _, left in after_power_loss(files, np.random.default_rng(1))}
    assert found == {b"old", b"", b"new"}
    assert files.done == ["create", "write", "rename"]


def test_the_layer_does_what_the_system_does(tmp_path):
    with Files(tmp_path) as files:
        (tmp_path / "a").mkdir()
        with (tmp_path / "a" / "b.txt").open("w", encoding="utf-8", newline="\r\n") as file:
            file.write("é\n" * 3)
        with open(tmp_path / "c", "wb") as file:
            file.write(b"123")
            file.seek(1)
            file.write(b"x")
        os.link(tmp_path / "c", tmp_path / "d")
        (tmp_path / "c").unlink()
    assert (tmp_path / "a" / "b.txt").read_bytes() == "é\r\n".encode() * 3
    everything = list(after_power_loss(files, np.random.default_rng(1)))[-1]
    assert everything[0] == len(files.log)
    states = [left for end, left in after_power_loss(files, np.random.default_rng(1)) if end == len(files.log)]
    assert {"a": None, "a/b.txt": "é\r\n".encode() * 3, "d": b"1x3"} in states


def test_a_full_disk_leaves_the_preferences_as_they_were(tmp_path, qapp):
    """Qt writes them by itself: here the system refuses to let any file grow beyond some bytes."""
    import resource

    from biomec_app.session.preferences import Preferences

    file = tmp_path / "p.ini"
    kept = Preferences(file)
    kept.folder, kept.theme = "a" * 200, "dark"
    kept.write()
    whole = file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (0, 1, 50, 200):
        changed = Preferences(file)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            changed.folder = "b" * 300
            changed.write()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert file.read_bytes() == whole
        changed.write()  # what it could not write it writes later
        assert Preferences(file).folder in ("a" * 200, "b" * 300)
        kept = Preferences(file)
        kept.folder = "a" * 200
        kept.write()
        file.write_bytes(whole)


def test_a_full_disk_is_the_reason_why_a_c3d_file_cannot_be_written(tmp_path):
    """It said that the capture system should export the file again: ezc3d does not notice a full disk."""
    import resource

    path = tmp_path / "a.c3d"
    write_trial(full_trial(frames=6), path)
    whole = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (0, 300, 600, 3000, len(whole) - 600, len(whole) - 1):
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            with pytest.raises(FileError, match="the disk may be full"):
                write_trial(full_trial(frames=6, seed=1), path, overwrite=True)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert [one.name for one in tmp_path.iterdir()] == ["a.c3d"]
        assert path.read_bytes() == whole


def test_a_small_sample_of_what_make_prove_tries():
    program = (
        "from tests.faults import kills, cancels, cycles\n"
        "assert kills.main(['26']) == 0\n"
        "assert cancels.main(['3']) == 0\n"
        "assert cycles.main(['4', '--library']) == 0\n"
    )
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=800)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
