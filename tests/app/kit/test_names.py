"""Codes in words."""

from dataclasses import replace

import pytest

from biomec_app.kit.names import channel_words, origin, plate_user, plate_words, point_words, with_code


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("AA_D", "acromial angle, right"),
        ("C7", "spinous process of the 7th cervical vertebra"),
        ("CAQ_E", "centre of the hip joint, left"),
        ("what", ""),
    ],
)
def test_landmarks_are_told_in_words(code, words):
    assert point_words(code) == words
    assert with_code(code, words) == (f"{words} ({code})" if words else code)


def test_markers_of_another_set_have_that_set_s_words(demo_analysis):
    from biomec.io.marker_set_file import load_marker_set

    assert point_words("RFHD", load_marker_set("plug-in-gait")) == "front of the head band, right"


def test_plates_are_named_after_who_stands_on_them_not_after_their_label(demo_analysis):
    assert plate_words(demo_analysis, "Mao_D") == "right hand (Mao_D)"
    clean = demo_analysis.signals
    other = {"right hand": "left hand", "left hand": "right hand"}
    items = [replace(item, segment=other.get(item.segment, item.segment)) for item in clean.contacts.contacts]
    swapped = replace(clean.contacts, contacts=tuple(items))
    done = demo_analysis.done
    clean = replace(done["signals"], value=replace(clean, contacts=swapped))
    analysis = replace(demo_analysis, done={**done, "signals": clean})
    assert plate_user(analysis, "Mao_D") == "left hand"
    assert plate_words(analysis, "Mao_D") == "left hand (Mao_D)"


def test_channels_and_origins():
    assert channel_words("triceps_D") == "triceps, right (triceps_D)"
    assert channel_words("EMG 1") == "EMG 1"
    assert origin("Mao_D") == "Mao stands for mão, hand; _D stands for direita, right (Portuguese)."
    assert origin("AA_E") == "_E stands for esquerda, left (Portuguese)."
    assert "braço" in origin("CLBR_D_11")
    assert origin("C7") == ""
