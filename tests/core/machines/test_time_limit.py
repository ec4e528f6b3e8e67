"""Every study has a limit of time and can be cancelled, also while its work asks nobody."""

from __future__ import annotations

import pytest

from biomec.base.progress import Cancelled
from biomec.machines.machine import load_machine
from biomec.machines.studies import studies, study
from biomec.machines.study import options_from
from biomec.machines.time_limit import interruptible

ASKED = {"kinematics": "four-bar", "forward": "crank-press", "drift": "four-bar", "optimal-control": "crank-press",
         "swing": "knee-prosthesis", "equations": "pendulum"}  # fmt: skip


@pytest.mark.parametrize("key", list(ASKED))
def test_a_run_ends_at_its_limit_of_time_with_a_sentence(key):
    chosen = study(key)
    run = chosen.run(load_machine(ASKED[key]), options_from(chosen, {"time_limit_s": 1e-9}), None)
    assert not run.succeeded
    assert "limit of time" in run.status


@pytest.mark.parametrize("key", list(ASKED))
def test_a_run_ends_where_its_progress_is_cancelled(key):
    def cancel(_):
        raise Cancelled("enough")

    chosen = study(key)
    with pytest.raises(Cancelled):
        chosen.run(load_machine(ASKED[key]), chosen.options(), cancel)


def test_every_study_can_be_given_a_limit():
    assert all(one.options().time_limit_s == 300.0 for one in studies())


def test_work_that_asks_nobody_is_interrupted_all_the_same():
    """Algebra with symbols may take minutes between two calls of progress; Esc did nothing meanwhile."""

    def cancel(_):
        raise Cancelled

    with pytest.raises(Cancelled), interruptible(cancel):
        for _ in range(10**10):  # it would take minutes
            pass


def test_what_is_not_stopped_goes_on_to_its_end():
    with interruptible(lambda _: None) as tell:
        tell(0.5)
        total = sum(range(100))
    assert total == 4950
