"""Flower's processes on 127.0.0.1, as docs/federated.md deploys them: TLS, and nodes known by their keys.

While they run, another user of the machine can submit an app to the SuperLink, whose open edition asks for no
login: run the tests that are marked slow where nobody else has an account.
"""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

HOST = "127.0.0.1"
BIN = Path(sys.executable).parent
PATIENCE = 120.0

APP = """[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "shipped"
version = "1.0.0"
description = "An app that a run ships"
license = "Apache-2.0"

[tool.hatch.build.targets.wheel]
packages = ["."]

[tool.flwr.app]
publisher = "somebody"

[tool.flwr.app.components]
serverapp = "shipped.server:app"
clientapp = "shipped.client:app"

[tool.flwr.app.config]
"""


def write_certificates(folder: Path) -> None:
    """A certificate of an authority, ca.crt, and one of the server's for 127.0.0.1, made for one test."""
    today = datetime.datetime.now(datetime.UTC)
    names = {
        kind: x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, kind)]) for kind in ("ca", "server")
    }
    keys = {kind: ec.generate_private_key(ec.SECP256R1()) for kind in names}
    for kind, key in keys.items():
        made = (
            x509.CertificateBuilder()
            .subject_name(names[kind])
            .issuer_name(names["ca"])
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(today - datetime.timedelta(days=1))
            .not_valid_after(today + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=kind == "ca", path_length=None), critical=True)
            .add_extension(
                x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(HOST))]), critical=False
            )
            .sign(keys["ca"], hashes.SHA256())
        )
        (folder / f"{kind}.crt").write_bytes(made.public_bytes(serialization.Encoding.PEM))
        write_key(folder / f"{kind}.key", key, serialization.PrivateFormat.PKCS8)


def write_key(file: Path, key: ec.EllipticCurvePrivateKey, kind: serialization.PrivateFormat) -> None:
    file.touch(0o600)
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, kind, serialization.NoEncryption()),
    )


def write_app(folder: Path, client: str, server: str, config: dict) -> None:
    """An app as a run ships it, from the texts of its two modules."""
    package = folder / "shipped"
    package.mkdir(parents=True)
    lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in config.items())
    (folder / "pyproject.toml").write_text(APP + lines, encoding="utf-8")
    for name, text in (("__init__", ""), ("client", client), ("server", server)):
        (package / f"{name}.py").write_text(text, encoding="utf-8")


class RealFlower:
    """A context in which a SuperLink runs; leaving it ends every process that was started in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = f"{HOST}:{_free_port()}"
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.environment = os.environ | {
            "FLWR_HOME": str(folder / "home"),
            "FLWR_TELEMETRY_ENABLED": "0",
            "FLWR_DISABLE_UPDATE_CHECK": "1",
            "PATH": os.pathsep.join([str(BIN), os.environ.get("PATH", "")]),
        }

    def __enter__(self) -> Self:
        (self.folder / "home").mkdir(parents=True)
        write_certificates(self.folder)
        roots = f'root-certificates = "{self.folder / "ca.crt"}"\n'
        text = f'[superlink]\ndefault = "here"\n\n[superlink.here]\naddress = "{self.address}"\n{roots}'
        (self.folder / "home" / "config.toml").write_text(text, encoding="utf-8")
        try:
            self.start_link()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name in reversed(list(self.processes)):
            self.stop(name)

    def start_link(self) -> None:
        host, _, port = self.address.partition(":")
        tls = ["--ssl-ca-certfile=ca.crt", "--ssl-certfile=server.crt", "--ssl-keyfile=server.key"]
        options = ["--enable-supernode-auth", "--disable-runtime-dependency-installation"]
        process = self._start("superlink", "flower-superlink", "--host", host, "--port", port, *tls, *options)
        until = time.monotonic() + PATIENCE
        while not _listens(host, int(port)):
            assert process.poll() is None, self.log("superlink")
            assert time.monotonic() < until, self.log("superlink")
            time.sleep(0.1)

    def key(self, name: str, known: bool = True) -> Path:
        """A node's key, made once; ``known`` tells the SuperLink of it."""
        file = self.folder / f"{name}.key"
        if not file.exists():
            key = ec.generate_private_key(ec.SECP384R1())
            write_key(file, key, serialization.PrivateFormat.OpenSSH)
            public = key.public_key().public_bytes(
                serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
            )
            file.with_suffix(".pub").write_bytes(public)
        if known:
            command = [BIN / "flwr", "supernode", "register", file.with_suffix(".pub"), "here"]
            subprocess.run(command, env=self.environment, cwd=self.folder, check=True, capture_output=True)
        return file

    def start_node(self, name: str, app: str, config: dict) -> subprocess.Popen[bytes]:
        """A node that pins its app, from the text of its file. Its key is made known if it has none yet."""
        file = self.folder / f"{name}.py"
        file.write_text(app, encoding="utf-8")
        link = self._link(name, config, "--key")
        return self._start(name, "relgauss", "federated", "node", str(file), *link)

    def start_supernode(self, name: str, config: dict) -> None:
        """A node of Flower's own, which runs what is shipped."""
        link = self._link(name, config, "--auth-supernode-private-key")
        self._start(name, "flower-supernode", *link, "--host", HOST, "--port", str(_free_port()))

    def run(self, app: Path, timeout: float = 600.0) -> None:
        """Run an app to its end. Flower may call a failed run a success: look at what the app has written."""
        self._start(app.name, "flwr", "run", str(app), "here", "--stream").wait(timeout)

    def stop(self, name: str, how: signal.Signals = signal.SIGTERM) -> None:
        process = self.processes.pop(name)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # whatever of the group is left
        process.wait()

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")

    def _link(self, name: str, config: dict, key: str) -> list[str]:
        given = " ".join(f"{each}={json.dumps(value)}" for each, value in config.items())
        where = ["--superlink", self.address, "--root-certificates", "ca.crt"]
        return [
            *where,
            key,
            str(self.key(name, known=not (self.folder / f"{name}.key").exists())),
            "--node-config",
            given,
        ]

    def _start(self, name: str, program: str, *options: str) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [BIN / program, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.environment,
                cwd=self.folder,
                start_new_session=True,  # a group of its own, so that its children end with it
            )
        return self.processes[name]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _listens(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=1.0):
            return True
    except OSError:
        return False
