"""A browser without a window, driven over WebDriver's plain HTTP: nothing is installed for it."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError


def programs() -> tuple[str, str] | None:
    """Chromium and its driver, if both are here."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    return None if browser is None or driver is None else (browser, driver)


class Browser:
    """One window."""

    def __init__(self, address: str) -> None:
        self._address = address

    def _ask(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self._address}{path}", data=data)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, file: Path) -> None:
        """Show a page."""
        self._ask("/url", {"url": file.as_uri()})

    def run(self, script: str, *arguments: object) -> Any:
        """What a script returns."""
        return self._ask("/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, selector: str, keys: str) -> None:
        """Press keys on an element, as a person would."""
        found = self._ask("/element", {"using": "css selector", "value": selector})
        self._ask(f"/element/{next(iter(found.values()))}/value", {"text": keys})

    def text(self, selector: str) -> str:
        """What an element shows."""
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def errors(self) -> list[str]:
        """What the page's scripts complained about."""
        return [each["message"] for each in self._ask("/se/log", {"type": "browser"})]

    def picture(self, file: Path) -> None:
        """The window as a PNG."""
        file.write_bytes(base64.b64decode(self._ask("/screenshot")))


@contextmanager
def started(folder: Path, *, width: int, height: int, dark: bool = False) -> Iterator[Browser]:
    """A browser whose profile lies in a folder; it ends with the block."""
    found = programs()
    assert found is not None
    browser, driver = found
    with subprocess.Popen(
        [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            line = next(each for each in process.stdout if "started successfully on port" in each)
            port = line.rpartition("port")[2].strip(" .\n")
            address = f"http://127.0.0.1:{port}"
            flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
            flags += [f"--window-size={width},{height}", f"--user-data-dir={folder / 'profile'}"]
            flags += ["--force-dark-mode"] if dark else []
            chrome = {"binary": browser, "args": flags}
            wanted = {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL"}}
            session = _new_session(address, {"capabilities": {"alwaysMatch": wanted}})
            try:
                yield Browser(f"{address}/session/{session}")
            finally:
                request = urllib.request.Request(f"{address}/session/{session}", method="DELETE")
                urllib.request.urlopen(request, timeout=60).close()
        finally:
            process.terminate()


def _new_session(address: str, body: dict[str, Any]) -> str:
    for _ in range(50):
        try:
            request = urllib.request.Request(f"{address}/session", data=json.dumps(body).encode())
            with urllib.request.urlopen(request, timeout=60) as answer:
                return str(json.load(answer)["value"]["sessionId"])
        except URLError as error:
            if not isinstance(error.reason, ConnectionRefusedError):
                raise
            time.sleep(0.1)
    raise TimeoutError("the driver does not answer")
