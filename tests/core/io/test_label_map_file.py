"""Mapping profiles: what is saved is read again, and contradictions are refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biomec.base.errors import BiomecError, DescriptionError
from biomec.io.label_map_file import describe_label_map, parse_label_map, read_label_map, write_label_map
from biomec.recording.label_map import LabelMap

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(lambda text: text.strip())


@given(words, words, st.dictionaries(words, words, max_size=8), st.lists(words, max_size=4))
def test_profiles_survive_the_file(name, marker_set, targets, ignored):
    targets = {label: f"{target}{k}" for k, (label, target) in enumerate(targets.items())}
    label_map = LabelMap(name, marker_set, targets, tuple(word for word in ignored if word not in targets))
    read = parse_label_map(describe_label_map(label_map), "lab.toml")
    assert (read.name, read.marker_set, dict(read.targets), read.ignored) == (
        label_map.name, label_map.marker_set, dict(label_map.targets), label_map.ignored,
    )  # fmt: skip


def test_a_profile_is_written_to_disk(tmp_path):
    label_map = LabelMap("Laboratório", "biomec-full", {"R.ASIS": "CIAS_D"}, ("ball",))
    write_label_map(label_map, tmp_path / "lab.toml")
    assert '"R.ASIS" = "CIAS_D"' in (tmp_path / "lab.toml").read_text("utf-8")
    assert read_label_map(tmp_path / "lab.toml") == label_map


def test_contradictions_are_refused():
    with pytest.raises(BiomecError, match="A and B are all mapped to C7"):
        LabelMap("lab", "s", {"A": "C7", "B": "C7"})
    with pytest.raises(BiomecError, match="A is both mapped and ignored"):
        LabelMap("lab", "s", {"A": "C7"}, ("A",))
    with pytest.raises(DescriptionError, match=r"^lab.toml: Mapping lab: A and B"):
        parse_label_map('name = "lab"\nmarker_set = "s"\n[targets]\nA = "C7"\nB = "C7"', "lab.toml")
    with pytest.raises(DescriptionError, match=r"lab.toml: targets.A must be a text"):
        parse_label_map('name = "lab"\nmarker_set = "s"\n[targets]\nA = 3', "lab.toml")
