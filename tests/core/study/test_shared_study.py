"""One study, two people: whoever works on it at the same time loses nothing."""

import threading

from biomec.study.batch import run_batch, tasks_of
from biomec.study.decisions import decide, read_decisions
from biomec.study.people import keep_people, read_people
from biomec.study.study import open_study
from biomec.study.trials import State
from tests.core.study.small import reopened, sway_study
from tests.core.study.test_batch import Crew, tables


def at_once(*works):
    """Run all of them at the same time, and raise what any raises."""
    faults = []

    def kept(work):
        try:
            work()
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=kept, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]


def test_two_who_run_one_study_at_once_lose_nothing(tmp_path):
    folder = sway_study(tmp_path / "study", 1, 2)
    alone = open_study(folder, tmp_path / "alone")
    run_batch(alone, crew=Crew(size=1))
    first, second = open_study(folder), open_study(folder)
    assert len(tasks_of(first)) == len(tasks_of(second)) == 2
    at_once(lambda: run_batch(first, crew=Crew(size=1)), lambda: run_batch(second, crew=Crew(size=1)))
    assert reopened(first).states == {State.DONE: 2}
    assert tables(first) == tables(alone)


def test_decisions_and_codes_of_two_people_are_all_kept(tmp_path):
    at_once(
        *(lambda k=k: decide(tmp_path, f"trial{k}", f"reason {k}") for k in range(8)),
        *(lambda k=k: keep_people(tmp_path, {f"folder {k}": "P001"}) for k in range(8)),
    )
    assert read_decisions(tmp_path).trials == {f"trial{k}": f"reason {k}" for k in range(8)}
    codes = read_people(tmp_path)
    assert sorted(codes) == [f"folder {k}" for k in range(8)]
    assert len(set(codes.values())) == 8
