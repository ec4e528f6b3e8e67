"""The same batch by workers of a real dask scheduler on this computer."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from biomec.base.errors import BiomecError
from biomec.study.batch import run_batch
from biomec.study.crew import ClusterCrew
from biomec.study.study import open_study
from biomec.study.trials import State
from tests.core.study.small import analysed, reopened, sway_study
from tests.core.study.test_batch import tables
from tests.other_user import ADMINISTRATOR, UID

distributed = pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="it sends signals"),
    pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning"),  # of dask's own sockets
]


@pytest.fixture(scope="module")
def cluster():
    """A scheduler with two workers, processes of their own."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as running:
        yield running


def test_a_worker_killed_in_mid_task_loses_no_trial_and_bytes_are_the_same(tmp_path, cluster):
    folder = sway_study(tmp_path / "study", 2, 2)
    calm = open_study(folder, tmp_path / "calm")
    analysed(calm)
    study = open_study(folder, tmp_path / "cluster")
    killed = []

    def kill(step):
        if not killed:
            killed.append(next(iter(cluster.workers.values())).pid)
            os.kill(killed[0], signal.SIGKILL)

    report = run_batch(study, scheduler=cluster.scheduler_address, on_step=kill)
    assert (report.done, report.failed) == (4, 0)
    assert killed
    assert tables(study) == tables(calm)
    assert not list(study.results.glob(".batch-*"))


@ADMINISTRATOR
def test_a_worker_without_access_to_the_folder_is_named_and_not_used(cluster):
    """A third worker runs as another user, who may not enter the folder."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        folder = sway_study(place / "study", 1, 1)
        place.chmod(0o700)
        home = place.parent / f"{place.name}-home"
        home.mkdir(mode=0o777)
        home.chmod(0o777)
        other = home / "become_another_user.py"
        other.write_text(
            "import os\n\nimport biomec.study.crew\n\n\ndef dask_setup(worker):\n"
            f"    os.setgroups([])\n    os.setgid({UID})\n    os.setuid({UID})\n"
        )
        stranger = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address, "--no-nanny", "--nthreads",
             "1", "--no-dashboard", "--local-directory", str(home), "--preload", str(other)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            with distributed.Client(cluster.scheduler_address, set_as_default=False) as client:
                client.wait_for_workers(3, timeout=30)
            study, words = open_study(folder, place / "results"), []
            report = run_batch(study, scheduler=cluster.scheduler_address, say=words.append)
            assert report.done == 1
            assert len(words) == 1
            assert "is not used. It does not see the folder" in words[0]
            assert reopened(study).states == {State.DONE: 1}
        finally:
            stranger.terminate()
            stranger.wait(20)
            shutil.rmtree(home)


def test_without_a_scheduler_a_sentence_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr("biomec.study.crew.ClusterCrew._connect", _refused)
    study = open_study(sway_study(tmp_path, 1, 1))
    with pytest.raises(BiomecError, match="no dask scheduler"):
        run_batch(study, scheduler="tcp://127.0.0.1:1")
    assert not list(study.results.glob(".batch-*"))


_connect = ClusterCrew._connect


def _refused(self, patience_s):
    _connect(self, 0.0)
