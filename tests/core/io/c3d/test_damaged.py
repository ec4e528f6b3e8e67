"""Damaged C3D files: a sentence that names the file, or a trial that is consistent; never anything else."""

import subprocess
import sys
import time

import numpy as np
import pytest

from biomec.base.errors import BiomecError, FileError
from biomec.io.c3d import read_c3d
from tests.oracles.c3d_bytes import DEC, MIPS, c3d_bytes
from tests.real_data import recording

HEAD = 52_000  # bytes of header and parameters of the real files
SLOWEST_S = 5.0  # of processor time, for a damaged file of two megabytes; the whole one takes 0.02 s


def outcome(path):
    """Read a damaged file: None if it was refused with its name, else the trial after a look at it."""
    begin, trial, sentence = time.thread_time(), None, path.name
    try:
        trial = read_c3d(path)
    except BiomecError as fault:
        sentence = str(fault)
    assert sentence.startswith(path.name)
    assert time.thread_time() - begin < SLOWEST_S
    if trial is None:
        return None
    size = path.stat().st_size
    stored = trial.frames * len(trial.markers.names)
    assert 6 * stored <= size  # no more than the file can hold
    assert trial.source.size == size
    for plate in trial.plates:
        assert plate.force.shape == plate.moment.shape
    return trial


@pytest.mark.parametrize(
    "parts",
    [
        ("gait_pig_pair", "HC030A01.c3d"),
        ("gait_pig_pair", "HC030A05.c3d"),
        ("shoulder_scapula", "scapula_clavicle_markers.c3d"),
    ],
    ids=lambda parts: parts[-1],
)
def test_a_real_file_cut_off_at_every_kilobyte_is_refused(tmp_path, parts):
    """At every kilobyte of its header and parameters, and at every eighth of its frames, which are all alike."""
    data = recording(*parts).read_bytes()
    path = tmp_path / "cut.c3d"
    path.write_bytes(data)
    whole = range((len(data) - 1) // 1024 * 1024, -1, -1024)
    for end in (end for end in whole if end < HEAD or end % 8192 == 0 or end == whole[0]):
        with path.open("r+b") as file:
            file.truncate(end)
        assert outcome(path) is None, end


@pytest.mark.parametrize("name", ["HC030A05.c3d"])
def test_flipped_bytes_of_a_real_file(tmp_path, name, rng):
    data = recording("gait_pig_pair", name).read_bytes()
    path = tmp_path / "flipped.c3d"
    read = 0
    for _ in range(200):
        damaged = bytearray(data)
        # most of them in the header and parameters, where they do harm
        places = rng.integers(0, HEAD if rng.random() < 0.9 else len(data), size=rng.integers(1, 20))
        for place in places:
            damaged[place] = rng.integers(0, 256)
        path.write_bytes(damaged)
        read += outcome(path) is not None
    assert 25 < read < 200  # some are read, some are not: the damage is neither too small nor too large


@pytest.mark.parametrize("processor", [84, DEC, MIPS])
def test_flipped_bytes_of_small_files(tmp_path, processor, rng):
    corners = np.array([[0.5, 0, 0], [0, 0, 0], [0, 0.4, 0], [0.5, 0.4, 0]]).T[:, :, None]
    parameters = {
        ("FORCE_PLATFORM", "USED"): np.array(1),
        ("FORCE_PLATFORM", "TYPE"): np.array([2]),
        ("FORCE_PLATFORM", "ZERO"): np.array([1, 2]),
        ("FORCE_PLATFORM", "CORNERS"): 1e3 * corners,
        ("FORCE_PLATFORM", "ORIGIN"): np.array([[0.0], [0.0], [-40.0]]),
        ("FORCE_PLATFORM", "CHANNEL"): np.arange(1, 7)[:, None],
        ("EVENT", "USED"): np.array(2),
        ("EVENT", "TIMES"): np.array([[0.0, 0.0], [0.01, 0.02]]),
        ("EVENT", "LABELS"): ["LHS", "RTO"],
        ("SUBJECTS", "NAMES"): ["Ana", "Beto"],
        ("PROCESSING", "Bodymass"): np.array(70.0),
        ("POINT", "LABELS"): ["Ana:C7", "Beto:C7", "LHipAngles", "*4"],
    }
    data = c3d_bytes(
        rng.normal(scale=300.0, size=(8, 4, 3)),
        words=rng.integers(-1, 9, size=(8, 4)),
        analog=rng.normal(scale=100.0, size=(16, 6)),
        samples_per_frame=2,
        processor=processor,
        real=processor != MIPS,
        parameters=parameters,
    )
    path = tmp_path / "small.c3d"
    path.write_bytes(data)
    assert outcome(path) is not None
    end = len(data) - 1024
    for k in range(300):
        damaged = bytearray(data)
        for place in rng.integers(0, end, size=rng.integers(1, 4)):
            damaged[place] = rng.choice([0, 1, 2, 127, 128, 254, 255, rng.integers(0, 256)])
        path.write_bytes(damaged)
        outcome(path)
        if k % 20 == 0:
            path.write_bytes(damaged[: rng.integers(0, len(damaged))])
            outcome(path)


def test_every_byte_of_header_and_parameters_at_its_extremes(tmp_path):
    data = c3d_bytes(np.ones((3, 2, 3)), analog=np.ones((3, 1)))
    path = tmp_path / "extreme.c3d"
    for place in [*range(24), *range(512, len(data) - 512)]:
        # the least and largest byte with and without a sign; words of two bytes take turns with each other
        for value in (0, 127, 128, 255) if place < 600 else ((0, 255), (127, 128))[place // 2 % 2]:
            damaged = bytearray(data)
            damaged[place] = value
            path.write_bytes(damaged)
            outcome(path)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\x02", "not a C3D file"),
        (b"\x02P", "before its parameters"),
        (b"\x02P" + bytes(300), "before its parameters"),
        (b"PathFileType\t4\t(X/Y/Z)\tfile.trc\n" * 99, "not a C3D file"),
        (b"\xffP" + bytes(2000), "before its parameters"),
        (b"\x02P" + bytes(2000), "processor mark is 0"),
        (b"\x02P" + bytes(510) + b"\x01P\xffT" + bytes(2000), "no groups"),
    ],
)
def test_what_is_no_c3d_file_is_named_so(tmp_path, content, words):
    path = tmp_path / "other.c3d"
    path.write_bytes(content)
    with pytest.raises(FileError, match=words) as caught:
        read_c3d(path)
    assert caught.value.file == "other.c3d"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({("POINT", "FRAMES"): np.array(30000), "header": {5: 30000}}, "30000 frames"),
        ({("POINT", "USED"): np.array(65535), "header": {2: 65535}}, "65535 points"),
        ({("ANALOG", "USED"): np.array(65535), "header": {3: 65535, 10: 1}}, "65535 analog channels"),
        ({("POINT", "FRAMES"): np.array(4e9), "header": {5: 0}}, "4000000000 frames"),
        ({("POINT", "RATE"): np.array(np.nan), "rate": 0.0}, "frame rate"),
        ({("POINT", "SCALE"): np.array(0.0), "scale": 0.0}, "scale"),
    ],
)
def test_wrong_counts_name_what_is_wrong(tmp_path, change, words):
    parameters = {key: value for key, value in change.items() if isinstance(key, tuple)}
    options = {key: value for key, value in change.items() if isinstance(key, str)}
    path = tmp_path / "counts.c3d"
    path.write_bytes(c3d_bytes(np.ones((20, 2, 3)), analog=np.ones((20, 2)), parameters=parameters, **options))
    with pytest.raises(FileError, match=words):
        read_c3d(path)


def test_huge_counts_take_no_memory(tmp_path):
    """The whole address space is limited to what reading a small file needs, so that a large allocation would fail."""
    path = tmp_path / "huge.c3d"
    parameters = {("POINT", "FRAMES"): np.array(3e9), ("POINT", "USED"): np.array(60000)}
    path.write_bytes(c3d_bytes(np.ones((20, 2, 3)), parameters=parameters, header={2: 60000, 5: 65535}))
    program = (
        "import resource, sys\n"
        "from biomec.base.errors import FileError\n"
        "from biomec.io.c3d import read_c3d\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n    read_c3d(sys.argv[1])\n"
        "except FileError as fault:\n    print(fault)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True)
    sentence, megabytes = done.stdout.strip().splitlines()
    assert "cut off" in sentence
    assert int(megabytes) < 50


def test_a_label_section_that_claims_more_than_it_holds(tmp_path):
    data = bytearray(c3d_bytes(np.ones((2, 1, 3))))
    at = data.index(b"LABELS") + len("LABELS") + 2 + 2  # behind the offset, type and number of dimensions
    data[at] = 255
    data[at + 1] = 255
    path = tmp_path / "labels.c3d"
    path.write_bytes(data)
    with pytest.raises(FileError, match="LABELS claims 65025 bytes"):
        read_c3d(path)


def test_labels_that_do_not_fill_their_place_are_said_to_be_doubtful(tmp_path):
    data = bytearray(c3d_bytes(np.ones((2, 9, 3))))
    at = data.index(b"LABELS") + len("LABELS") + 2 + 2
    assert tuple(data[at : at + 2]) == (2, 9)
    data[at + 1] = 4  # nine labels become four
    path = tmp_path / "labels.c3d"
    path.write_bytes(data)
    (notice,) = [n for n in read_c3d(path).notices if n.code == "c3d-parameters-doubtful"]
    assert "LABELS" in notice.sentence


def test_parameters_that_are_cut_off_are_said_to_be_doubtful(tmp_path):
    data = bytearray(c3d_bytes(np.ones((2, 9, 3)), parameters={("SUBJECTS", "NAMES"): ["Ana"]}))
    at = data.index(b"SUBJECTS") - 2
    data[at] = 0  # as if the section ended here
    path = tmp_path / "cut.c3d"
    path.write_bytes(data)
    assert "c3d-parameters-doubtful" in [n.code for n in read_c3d(path).notices]
