import pytest

from biomec.recording.limb_names import LIMBS, Limb, limb_of

NAMES = {
    "Pe_D": ("foot", "Right"), "Pe_E": ("foot", "Left"), "Mao_D": ("hand", "Right"), "Mao_E": ("hand", "Left"),
    "Pé esquerdo": ("foot", "Left"), "Mão direita": ("hand", "Right"), "right foot": ("foot", "Right"),
    "RFoot": ("foot", "Right"), "LFoot": ("foot", "Left"), "rfoot": ("foot", "Right"), "LeftHand": ("hand", "Left"),
    "calcn_l": ("foot", "Left"), "hand_r": ("hand", "Right"), "Piede sx": ("foot", "Left"), "PIE_IZQ": ("foot", "Left"),
    "FOOT-R": ("foot", "Right"), "mano derecha": ("hand", "Right"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "limb"), NAMES.items())
def test_usual_names_are_understood(name, limb):
    assert limb_of(name) == Limb(*limb)


@pytest.mark.parametrize("name", ["Plate 1", "FP2", "plate", "Foot", "Right", "left right foot", "", "Red", "Person"])
def test_names_that_say_too_little_or_too_much_mean_nobody(name):
    assert limb_of(name) is None


def test_every_limb_is_understood_by_its_own_label():
    assert [limb_of(limb.label) for limb in LIMBS] == list(LIMBS)
