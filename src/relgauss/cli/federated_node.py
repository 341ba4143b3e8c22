"""``relgauss federated node``: one node of a Flower federation, which runs its own app and no other."""

from __future__ import annotations

import logging
import re
import signal
import tomllib
from pathlib import Path
from typing import Annotated

import typer

from relgauss.errors import RelgaussError

_FILE = {"exists": True, "dir_okay": False, "readable": True, "show_default": False}

AppFile = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="Python file that defines the node's ClientApp as app.", **_FILE),
]
Superlink = Annotated[str, typer.Option(help="The SuperLink, as host:port.", show_default=False)]
Key = Annotated[Path, typer.Option(help="Private key that the SuperLink knows the node by.", **_FILE)]
Roots = Annotated[
    Path | None,
    typer.Option(
        help="Certificates (PEM) that the SuperLink's is checked by. Default: the system's.", **_FILE
    ),
]
Config = Annotated[
    str,
    typer.Option(help='What the app finds in context.node_config: \'name="a" table="a.npz"\'.'),
]

_PAIR = re.compile(r"""[\w-]+=(?:"[^"\n]*"|'[^'\n]*'|[^\s"']+)""")


def node(
    file: AppFile,
    *,
    superlink: Superlink,
    key: Key,
    root_certificates: Roots = None,
    node_config: Config = "",
) -> None:
    """Take part in a federation with the app in FILE, whatever app a run ships.

    The node answers until it is stopped, and writes its log to stderr. It connects by TLS only.
    """
    import relgauss.federated  # noqa: F401 - says what to install where Flower is missing
    from relgauss.federated.pinned_node import Link, load_app, serve

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    end_by_exception(signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
    link = Link(superlink, key, root_certificates)
    link.keys()  # a mistake shows before anything is connected
    serve(load_app(file), link, _values(node_config))


def _values(text: str) -> dict[str, str | int | float | bool]:
    """KEY=VALUE pairs with spaces between them, each as TOML writes it."""
    try:
        values = tomllib.loads("\n".join(_PAIR.findall(text)))
    except ValueError:
        values = {"": None}
    readable = all(isinstance(value, str | int | float | bool) for value in values.values())
    if not readable or _PAIR.sub("", text).strip():
        raise RelgaussError(
            "The node's configuration cannot be read.", 'Write --node-config \'name="a" table="a.npz"\'.'
        )
    return values


def end_by_exception(*signals: signal.Signals) -> None:
    """End by an exception on these signals, so that what is open is closed on the way."""
    for each in signals:
        signal.signal(each, _end)


def _end(number: int, _: object) -> None:
    raise SystemExit(128 + number)
