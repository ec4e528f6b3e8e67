"""The machine under the user's hands."""

import pytest

from biomec.base.errors import BiomecError
from biomec_app.features.workbench.draft import catalogued, from_file, is_stale, new_machine, same_machine
from tests.core.machines.swing_study import STUDY


def test_values_are_written_into_the_text_and_remarks_stay():
    before = catalogued("four-bar")
    after = before.with_values({"L1": 0.6})
    assert "L1 = { value = 0.6," in after.text
    assert after.text.splitlines()[0] == before.text.splitlines()[0]
    assert after.machine.values["L1"] == 0.6
    assert after.changed == {"L1"}
    assert (before.is_modified, after.is_modified) == (False, True)
    assert after.title == "four-bar *"


def test_a_fault_keeps_the_last_good_machine_and_tells_the_line():
    good = catalogued("four-bar")
    bad = good.edited(good.text.replace('mass = "=m2"', 'mass = "=m22"'))
    assert bad.machine is good.machine
    assert "m22" in bad.fault
    assert bad.text.splitlines()[bad.fault_line - 1] == 'mass = "=m22"'
    with pytest.raises(BiomecError, match="Mend it"):
        bad.with_values({"L1": 0.6})
    assert bad.edited(good.text).fault == ""


def test_values_out_of_range_are_refused():
    with pytest.raises(BiomecError, match="out of its range"):
        catalogued("four-bar").with_values({"L1": 99.0})


def test_a_new_machine_has_its_own_name_and_is_not_yet_work_to_be_lost():
    made = new_machine()
    assert made.machine.name == "my machine"
    assert not made.is_modified
    assert made.path is None


def test_what_is_saved_is_read_again(tmp_path):
    file = tmp_path / "mine.toml"
    saved = catalogued("four-bar").with_values({"L1": 0.6}).stored(file)
    assert not saved.is_modified
    assert saved.title == "mine.toml"
    assert saved.changed == frozenset()
    assert from_file(file).machine.values["L1"] == 0.6
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BiomecError, match="cannot be read as text"):
        from_file(file)


def test_a_run_is_stale_when_the_machine_means_something_else():
    draft = catalogued("four-bar")
    run = STUDY.run(draft.machine, STUDY.options(), None)
    remark = draft.edited(draft.text + "\n# a remark\n")
    assert same_machine(draft.machine, remark.machine)
    assert not is_stale(run, remark.machine)
    assert is_stale(run, draft.with_values({"L1": 0.6}).machine)
    assert not is_stale(run, catalogued("pendulum").machine)  # a run of another machine is what it is
