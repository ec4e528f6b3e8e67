"""A browser without a window (Chromium), driven through a pipe by the DevTools protocol: real clicks, real errors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
NEEDS = "Chromium is not installed; on Debian type: sudo apt-get install --no-install-recommends chromium"
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"),
)
# The browser reads commands from its file 3 and answers to its file 4.
BEGIN = """
import fcntl, os, sys
read, write = (fcntl.fcntl(int(one), fcntl.F_DUPFD, 10) for one in sys.argv[1:3])
os.dup2(read, 3); os.dup2(write, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Tab:
    """A page in the browser, and all that went wrong in it."""

    def __init__(self, commands: Any, answers: Any) -> None:
        self._commands, self._answers = commands, answers
        self._number, self._session, self._events = 0, "", []
        self.faults: list[str] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        size = {"width": 1400, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", **size)

    def ask(self, method: str, **parameters: Any) -> Any:
        """Send a command and wait for its answer."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._commands.write(json.dumps(message).encode() + b"\0")
        self._commands.flush()
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer)
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        text = bytearray()
        while (letter := self._answers.read(1)) != b"\0":
            assert letter, "the browser ended"
            text += letter
        answer: dict[str, Any] = json.loads(text)
        kind = answer.get("method", "")
        self._events.append(kind)
        if kind == "Runtime.exceptionThrown":
            self.faults.append(str(answer["params"]["exceptionDetails"]))
        if kind in ("Runtime.consoleAPICalled", "Log.entryAdded"):
            self.faults.append(str(answer["params"]))
        if kind == "Network.requestWillBeSent":
            url = answer["params"]["request"]["url"]
            if not url.startswith(("file:", "data:")):
                self.faults.append(f"network: {url}")
        return answer

    def open(self, path: Path) -> None:
        """Open a file and wait until it is there."""
        self._events.clear()
        self.ask("Page.navigate", url=path.resolve().as_uri())
        while "Page.loadEventFired" not in self._events:
            self._read()

    def value(self, expression: str) -> Any:
        """What an expression of JavaScript is; promises are waited for."""
        made = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in made, made
        return made["result"].get("value")

    def drag(self, *points: tuple[float, float]) -> None:
        """Press the mouse at the first point, move it through the others and let go; a click for a single point."""
        parts = [("mouseMoved", points[0]), ("mousePressed", points[0])]
        parts += [("mouseMoved", one) for one in points[1:]]
        for kind, (x, y) in (*parts, ("mouseReleased", points[-1])):
            self.ask(
                "Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1
            )  # fmt: skip

    def key(self, key: str) -> None:
        """Press a key."""
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Home": 36, "End": 35}
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key])


@contextmanager
def browser(folder: Path) -> Iterator[Tab]:
    """A browser with a profile in a folder, and an empty page in it."""
    assert BROWSER is not None
    (theirs, commands), (answers, ours) = os.pipe(), os.pipe()
    arguments = [sys.executable, "-c", BEGIN, str(theirs), str(ours), BROWSER, *FLAGS, f"--user-data-dir={folder}"]
    program = subprocess.Popen(
        arguments, pass_fds=(theirs, ours), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )  # fmt: skip
    os.close(theirs)
    os.close(ours)
    with os.fdopen(commands, "wb") as out, os.fdopen(answers, "rb") as back:
        try:
            tab = Tab(out, back)
            yield tab
            tab._session = ""
            tab.ask("Browser.close")
        finally:
            program.terminate()
            program.wait()
