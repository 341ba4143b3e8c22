"""Real Flower processes on this machine: a SuperLink, SuperNodes, and one run; all are stopped at the end.

For demonstrations and tests: everything listens on 127.0.0.1, without TLS.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from relgauss.errors import RelgaussError

_HOST = "127.0.0.1"
_START_TIMEOUT = 90.0
_STOP_TIMEOUT = 10.0
_POLL = 0.2

Values = Mapping[str, str | int | float | bool]

_APP = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "relgauss-local"
version = "1.0.0"
description = "Made by relgauss for a run on this machine"
license = "Apache-2.0"

[tool.hatch.build.targets.wheel]
packages = ["."]

[tool.flwr.app]
publisher = "relgauss"

[tool.flwr.app.components]
serverapp = "relgauss_local.server:app"
clientapp = "relgauss_local.client:app"

[tool.flwr.app.config]
"""


@dataclass(frozen=True)
class App:
    """Where the two apps are, as module:name, and the run's configuration."""

    client: str
    server: str
    config: Values

    def write(self, folder: Path) -> None:
        """As a Flower app, whose modules only import."""
        package = folder / "relgauss_local"
        package.mkdir(parents=True)
        (folder / "pyproject.toml").write_text(_APP + _toml_lines(self.config), encoding="utf-8")
        (package / "__init__.py").write_text("", encoding="utf-8")
        for kind, where in (("client", self.client), ("server", self.server)):
            module, _, name = where.partition(":")
            text = f"from {module} import {name}\n\napp = {name}\n"  # Flower looks for an assignment
            (package / f"{kind}.py").write_text(text, encoding="utf-8")


def _toml_lines(values: Values) -> str:
    return "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())


class LocalFlower:
    """A context in which a SuperLink runs; ``start_node`` adds SuperNodes, ``run`` runs an app to its end.

    Logs go to ``folder``. Whatever happens, leaving the context ends every process that was started in it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._runs = 0
        self._address = f"{_HOST}:{_free_port()}"
        self._environment = os.environ | {
            "FLWR_HOME": str(folder / "home"),
            "FLWR_TELEMETRY_ENABLED": "0",
            "FLWR_DISABLE_UPDATE_CHECK": "1",
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]),
        }

    def __enter__(self) -> Self:
        home = self.folder / "home"
        home.mkdir(parents=True, exist_ok=True)
        connection = f'[superlink]\ndefault = "here"\n\n[superlink.here]\naddress = "{self._address}"\n'
        (home / "config.toml").write_text(connection + "insecure = true\n", encoding="utf-8")
        try:
            self.start_link()
        except BaseException:
            self.stop_all()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop_all()

    def start_link(self) -> None:
        """Start the SuperLink, and wait until it listens."""
        host, _, port = self._address.partition(":")
        options = ["--insecure", "--host", host, "--port", port, "--disable-runtime-dependency-installation"]
        process = self._start("superlink", "flower-superlink", *options)
        until = time.monotonic() + _START_TIMEOUT
        while not _listens(host, int(port)):
            if process.poll() is not None or time.monotonic() > until:
                raise RelgaussError("Flower's SuperLink did not start.", f"See {self._log('superlink')}.")
            time.sleep(_POLL)

    def start_node(self, name: str, config: Values) -> None:
        """Start a SuperNode; it connects by itself."""
        given = " ".join(f"{key}={json.dumps(value)}" for key, value in config.items())
        options = ["--insecure", "--superlink", self._address, "--host", _HOST, "--port", str(_free_port())]
        self._start(name, "flower-supernode", *options, "--node-config", given)

    def run(self, app: App, timeout: float) -> None:
        """Run an app to its end. Flower may call a failed run a success: look at what the app has written."""
        self._runs += 1
        folder = self.folder / f"app-{self._runs}"
        app.write(folder)
        process = self._start(folder.name, "flwr", "run", str(folder), "here", "--stream")
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise RelgaussError(
                f"The run took more than {timeout:g} s.", f"See {self._log(folder.name)}."
            ) from None

    def stop(self, name: str, how: signal.Signals = signal.SIGTERM) -> None:
        """End a process and all that it has started."""
        process = self._processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_STOP_TIMEOUT)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # whatever of the group is left
        process.wait()

    def stop_all(self) -> None:
        """End everything, the SuperLink last."""
        for name in reversed(list(self._processes)):
            self.stop(name)

    def _start(self, name: str, program: str, *options: str) -> subprocess.Popen[bytes]:
        file = Path(sys.executable).parent / program
        with self._log(name).open("ab") as log:
            process = subprocess.Popen(
                [str(file), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self._environment,
                cwd=self.folder,
                start_new_session=True,  # a group of its own, so that its children end with it
            )
        self._processes[name] = process
        return process

    def _log(self, name: str) -> Path:
        return self.folder / f"{name}.log"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


def _listens(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1.0):
            return True
    except OSError:
        return False
