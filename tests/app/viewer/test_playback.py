"""Playing follows the clock on the wall."""

import pytest

from biomec_app.viewer.playback import Loop, Playback


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def player(document_with_demo, clock):
    return Playback(document_with_demo, clock=clock)


def after(player, clock, seconds):
    clock.now += seconds
    player.tick()
    return player._document.frame


def test_a_second_of_playing_is_a_second_of_the_recording(player, clock, document_with_demo):
    player.play()
    assert after(player, clock, 1.0) == 100  # recorded at 100 Hz
    assert after(player, clock, 0.004) == 100  # less than a frame
    assert after(player, clock, 2.5) == 350  # frames are left out, the speed is right


@pytest.mark.parametrize(("speed", "frame"), [(0.1, 10), (0.25, 25), (2.0, 200), (4.0, 400), (9.0, 400), (0.01, 10)])
def test_speeds_between_a_tenth_and_four_times(player, clock, speed, frame):
    player.play()
    player.set_speed(speed)
    assert after(player, clock, 1.0) == pytest.approx(frame, abs=1)  # rounding of the clock


def test_a_new_speed_goes_on_from_the_frame_that_is_shown(player, clock):
    player.play()
    after(player, clock, 2.0)
    player.set_speed(0.5)
    assert after(player, clock, 1.0) == 250


def test_at_the_end_it_begins_again_or_stops(player, clock, document_with_demo):
    last = document_with_demo.frames - 1
    document_with_demo.set_frame(last - 10)
    player.play()
    assert after(player, clock, 0.2) == 10
    player.set_loop(Loop.ONCE)
    document_with_demo.set_frame(last - 10)
    assert after(player, clock, 5.0) == last
    assert not player.playing
    player.play()  # from the end it starts at the beginning
    assert document_with_demo.frame == 0


def test_a_cycle_is_repeated(player, clock, document_with_demo):
    first, last = player.cycles[1]
    document_with_demo.set_frame(first + 5)
    player.set_loop(Loop.CYCLE)
    player.play()
    assert player.span == (first, last)
    assert after(player, clock, (last - first) / 100.0) == first + 5
    for _ in range(40):
        assert first <= after(player, clock, 0.37) <= last


def test_before_the_first_cycle_the_next_one_is_played(player, document_with_demo):
    player.set_loop(Loop.CYCLE)
    document_with_demo.set_frame(0)
    player.play()
    assert document_with_demo.frame == player.cycles[0][0]


def test_scrubbing_while_it_plays_goes_on_from_there(player, clock, document_with_demo):
    player.play()
    after(player, clock, 1.0)
    document_with_demo.set_frame(900)
    assert after(player, clock, 0.5) == 950


def test_a_step_pauses(player, document_with_demo):
    document_with_demo.set_frame(50)
    player.play()
    player.step(-10)
    assert document_with_demo.frame == 40
    assert not player.playing


def test_another_recording_pauses(player, document_with_demo):
    player.play()
    document_with_demo.close()
    assert not player.playing
    player.play()  # nothing to play
    assert not player.playing


def test_it_really_moves(qtbot, document_with_demo):
    player = Playback(document_with_demo)
    player.play()
    qtbot.waitUntil(lambda: document_with_demo.frame >= 10, timeout=5000)
    player.pause()
