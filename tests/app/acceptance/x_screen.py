"""A screen in memory (Xvfb), with real keys, a real mouse and real pixels: a small client of the X protocol.

Only what the tests need of the protocol [X11 protocol, release 7.7] and of its extension XTEST, over the socket of the
server. What is pressed here comes to the program from the server, as from a person's keyboard.
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

SIZE = (1280, 800)
XVFB = shutil.which("Xvfb") or "/usr/bin/Xvfb"
KEY_DOWN, KEY_UP, BUTTON_DOWN, BUTTON_UP, MOVE = 2, 3, 4, 5, 6
KEYS = {"Shift": 0xFFE1, "Ctrl": 0xFFE3, "Alt": 0xFFE9, "Return": 0xFF0D, "Escape": 0xFF1B, "Tab": 0xFF09, "F5": 0xFFC2,
        "Space": 0x20, "Right": 0xFF53, "Down": 0xFF54}  # fmt: skip


def is_installed() -> bool:
    """Whether there can be a screen in memory."""
    return Path(XVFB).exists()


@contextmanager
def screen_in_memory() -> Iterator[str]:
    """Start a screen on a number that is free, and end it; gives the name for DISPLAY."""
    reading, writing = os.pipe()
    size = f"{SIZE[0]}x{SIZE[1]}x24"
    command = [XVFB, "-displayfd", str(writing), "-screen", "0", size, "-nolisten", "tcp", "-noreset", "-ac"]
    server = subprocess.Popen(command, pass_fds=(writing,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as answer:
            number = answer.readline().strip()
        assert number, "the screen in memory did not start"
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(20)


class Hand:
    """Keys, mouse and eyes at a screen."""

    def __init__(self, display: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(f"/tmp/.X11-unix/X{display.lstrip(':').split('.')[0]}")
        self._socket.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
        state, length = struct.unpack("<BxxxxxH", self._take(8))
        setup = self._take(4 * length)
        assert state == 1, setup
        vendor, _, _, formats = struct.unpack_from("<HHBB", setup, 16)
        low, high = setup[26], setup[27]
        self.root = struct.unpack_from("<I", setup, 32 + vendor + (-vendor) % 4 + 8 * formats)[0]
        answer = self._ask(98, 0, struct.pack("<Hxx5sxxx", 5, b"XTEST"))
        assert answer[8], "the screen has no XTEST"
        self._xtest = answer[9]
        table = self._ask(101, 0, struct.pack("<BBxx", low, high - low + 1))
        per, symbols = table[1], np.frombuffer(table, "<u4", offset=32)
        self._codes: dict[int, tuple[int, bool]] = {}  # symbol -> code of its key, and whether it needs Shift
        for k, symbol in enumerate(symbols.tolist()):
            code, column = low + k // per, k % per
            if symbol and column < 2:
                self._codes.setdefault(symbol, (code, column == 1))

    # ------------------------------------------------------------------ protocol

    def _take(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            part = self._socket.recv(count - len(parts))
            assert part, "the screen is gone"
            parts += part
        return bytes(parts)

    def _send(self, code: int, detail: int, body: bytes) -> None:
        self._socket.sendall(struct.pack("<BBH", code, detail, 1 + len(body) // 4) + body)

    def _ask(self, code: int, detail: int, body: bytes) -> bytes:
        """Send a request and return its answer; events that come in between are not ours."""
        self._send(code, detail, body)
        while True:
            packet = self._take(32)
            assert packet[0] != 0, f"the screen refused request {code} with error {packet[1]}"
            if packet[0] == 1:
                return packet + self._take(4 * struct.unpack_from("<I", packet, 4)[0])

    def _fake(self, kind: int, detail: int, x: int = 0, y: int = 0) -> None:
        self._send(self._xtest, 2, struct.pack("<BBxxII8xhh8x", kind, detail, 0, self.root, x, y))

    # ------------------------------------------------------------------ hands

    def press(self, keys: str) -> None:
        """Press a key with others held, such as ``Ctrl+I`` or ``Alt+F``."""
        codes = [self._codes[KEYS.get(name) or ord(name.lower())][0] for name in keys.split("+")]
        for code in codes:
            self._fake(KEY_DOWN, code)
        for code in reversed(codes):
            self._fake(KEY_UP, code)

    def type(self, text: str) -> None:
        """Type a text."""
        shift = self._codes[KEYS["Shift"]][0]
        for letter in text:
            code, shifted = self._codes[ord(letter)]
            steps = [(KEY_DOWN, code), (KEY_UP, code)]
            for kind, one in [(KEY_DOWN, shift), *steps, (KEY_UP, shift)] if shifted else steps:
                self._fake(kind, one)

    def click(self, x: int, y: int) -> None:
        """Move the mouse somewhere and click with its left button."""
        self._fake(MOVE, 0, x, y)
        self._fake(BUTTON_DOWN, 1)
        self._fake(BUTTON_UP, 1)

    def focus(self, window: int) -> None:
        """Give the keyboard to a window, as the manager of a desktop does."""
        self._send(42, 1, struct.pack("<II", window, 0))

    # ------------------------------------------------------------------ eyes

    def look(self) -> np.ndarray:
        """(height, width, 3) bytes of everything that is on the screen: red, green, blue."""
        answer = self._ask(73, 2, struct.pack("<IhhHHI", self.root, 0, 0, *SIZE, 0xFFFFFFFF))
        pixels = np.frombuffer(answer, np.uint8, SIZE[0] * SIZE[1] * 4, 32).reshape(SIZE[1], SIZE[0], 4)
        return pixels[..., 2::-1].copy()

    def close(self) -> None:
        """Let go."""
        self._socket.close()
