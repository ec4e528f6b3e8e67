"""Light, dark, or as the desktop."""

from PySide6.QtWidgets import QApplication, QCheckBox, QScrollBar

from biomec_app.kit import theme as themes
from biomec_app.kit.dialog_parts import explanation
from biomec_app.shell.actions.appearance import ACTIONS


def test_the_desktops_own_theme_is_remembered_while_another_is_shown(qapp):
    assert isinstance(qapp, QApplication)
    at_first = themes.chosen("system")
    for name in ("dark", "light"):
        themes.apply(qapp, themes.chosen(name))
        assert themes.chosen("system") == at_first
    assert qapp.palette().window().color().name() == themes.LIGHT.window.lower()


def test_a_theme_is_chosen_in_the_menu_and_kept(context):
    shown = []
    context.user.set_theme = shown.append
    by_key = {action.key: action for action in ACTIONS}
    by_key["appearance.dark"].run(context)
    assert shown == ["dark"]
    assert context.preferences.theme == "dark"
    assert by_key["appearance.dark"].checked(context)
    assert not by_key["appearance.light"].checked(context)


def test_words_can_be_read_on_what_is_selected_and_faults_on_their_ground():
    """WCAG asks for a contrast of 4.5 between words and their ground."""
    for theme in (themes.LIGHT, themes.DARK):
        for words, ground in ((theme.on_accent, theme.accent), (theme.text, theme.panel), (theme.text, theme.window),
                              (theme.fault, theme.window)):  # fmt: skip
            assert contrast(words, ground) >= 4.5, (theme.name, words, ground)
        assert contrast(theme.box, theme.panel) >= 3.0  # WCAG for the parts of controls


def contrast(one, other):
    """Contrast of two colours by WCAG 2: (L1 + 0.05) / (L2 + 0.05) with relative luminances."""

    def luminance(name):
        parts = [int(name[k : k + 2], 16) / 255 for k in (1, 3, 5)]
        linear = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts]
        return sum(weight * x for weight, x in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_boxes_that_are_off_are_seen_in_both_themes(qtbot, qapp):
    for theme in (themes.DARK, themes.LIGHT):
        themes.apply(qapp, theme)
        box = QCheckBox("On or off")
        qtbot.addWidget(box)
        box.show()
        picture = box.grab().toImage()
        seen = {picture.pixelColor(x, y).name() for x in range(16) for y in range(picture.height())}
        assert max(contrast(colour, theme.window) for colour in seen) >= 2.5, theme.name


def test_the_handle_of_a_scroll_bar_stands_out_from_its_groove(qtbot, qapp):
    """In the dark the groove was the brighter of the two, and a page at its top looked as if it were at its end."""
    for theme in (themes.DARK, themes.LIGHT):
        themes.apply(qapp, theme)
        bar = QScrollBar()
        qtbot.addWidget(bar)
        bar.resize(bar.sizeHint().width(), 200)
        bar.setRange(0, 100)
        bar.setPageStep(100)  # the handle fills the upper half
        bar.show()
        picture = bar.grab().toImage()
        handle, groove = (picture.pixelColor(bar.width() // 2, y).name() for y in (50, 150))
        assert handle == theme.handle.lower()
        assert groove == theme.window.lower()
        assert contrast(handle, groove) >= 3.0, theme.name  # WCAG for the parts of controls


def test_explanations_follow_a_theme_that_is_chosen_while_they_are_shown(qtbot, qapp):
    """They kept the faint grey of the dark theme, which can hardly be read on light ground."""
    themes.apply(qapp, themes.DARK)
    label = explanation("What this is for.")
    qtbot.addWidget(label)
    label.show()
    for theme in (themes.DARK, themes.LIGHT):
        themes.apply(qapp, theme)
        picture = label.grab().toImage()
        seen = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
        assert theme.faint.lower() in seen, theme.name
