"""The tutorial's app runs as it is written, and makes a plain app private in under ten changed lines."""

import difflib
import math
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("flwr", reason="needs the extra 'federated'")

import relgauss as rg
from relgauss.federated import RunReport, SpendRecord
from relgauss.rounding import round_up

BLOCK = re.compile(r"<!-- ([\w ]+) -->\n```python\n(.*?)```", re.DOTALL)

RECORDS = 50_000  # the secure noise on the last model then has a standard deviation of about 0.005 per weight

# Both apps on a grid in one process: messages go straight to the client's app. It prints the last model.
SCRIPT = """
import sys
import numpy as np
from flwr.app import Context, RecordDict
from flwr.supercore.task_identity import TaskIdentity
TaskIdentity.task_id = TaskIdentity.run_id = TaskIdentity.node_id = 1
client, server = {}, {}
exec(open("client.py").read(), client)
exec(open("server.py").read(), server)

class Grid:
    count = 0
    def get_node_ids(self):
        return [1, 2]
    def send_and_receive(self, messages, timeout=None):
        replies = []
        for message in messages:
            Grid.count += 1
            message.metadata.__dict__["_message_id"] = str(Grid.count)
            name = f"hospital-{message.metadata.dst_node_id}"
            config = {"name": name, "table": name + ".npz", "spends": name + ".db"}
            context = Context(run_id=1, node_id=1, node_config=config, state=RecordDict(), run_config={})
            replies.append(client["app"](message, context))
        return replies

server["app"](Grid(), Context(run_id=1, node_id=0, node_config={}, state=RecordDict(), run_config={}))
"""


@pytest.fixture(scope="module")
def blocks(project_root: Path) -> dict[str, str]:
    return dict(BLOCK.findall((project_root / "docs" / "federated.md").read_text(encoding="utf-8")))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in (1, 2):
        rng = np.random.default_rng(number)
        X = rng.normal(size=(RECORDS, 3))
        np.savez(tmp_path / f"hospital-{number}.npz", X=X, y=X @ [1.0, -2.0, 0.5] + rng.normal(size=RECORDS))
        SpendRecord.create(tmp_path / f"hospital-{number}.db")
    return tmp_path


def run(folder: Path, client: str, server: str) -> str:
    (folder / "client.py").write_text(client, encoding="utf-8")
    (folder / "server.py").write_text(server, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def python(folder: Path, program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def last_model(printed: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d*(?:e-?\d+)?", printed)[-3:]]


def test_both_apps_find_the_model(folder, blocks):
    """The private one although its server asks for more rounds than were agreed on."""
    plain = last_model(run(folder, blocks["plain client"], blocks["server"]))
    assert plain == pytest.approx([1.0, -2.0, 0.5], abs=0.1)  # five steps are not the whole way
    eager = blocks["server"].replace("num_rounds=5", "num_rounds=7")
    model = last_model(run(folder, blocks["private client"], eager))
    assert model == pytest.approx(plain, abs=0.12)
    for name in ("hospital-1", "hospital-2"):
        assert len(SpendRecord.open(folder / f"{name}.db").spends(name)) == 5


def test_under_ten_lines_change(blocks):
    plain, private = (blocks[name].splitlines() for name in ("plain client", "private client"))
    changed = [
        line for line in difflib.ndiff(plain, private) if line[:2] in ("+ ", "- ") and line[2:].strip()
    ]
    assert len(changed) == 9


def test_our_server_in_its_place(folder, blocks):
    client = blocks["private client"].split("app = ClientApp")[0] + "app = rgf.private_client(participant)\n"
    run(folder, client, blocks["our server"])
    report = RunReport.read(folder / "study-7.json")
    assert report.participation() == {"hospital-1": (1, 2, 3, 4, 5), "hospital-2": (1, 2, 3, 4, 5)}
    assert not report.simulated
    done = python(folder, blocks["report"])
    assert done.startswith("{'hospital-1': (1, 2, 3, 4, 5), 'hospital-2': (1, 2, 3, 4, 5)}\n{}\n")


def test_the_same_nodes_in_one_process(tmp_path, blocks):
    """A second time the same rounds get the same answers; those of another job are refused."""
    tables, rounds = blocks["tables"], blocks["in process"]
    first = python(tmp_path, tables + rounds)
    assert first.startswith("1 ('hospital-1', 'hospital-2') {}\n")
    assert last_model(first) == pytest.approx([1.0, -2.0, 0.5], abs=0.12)
    imports = "import numpy as np\nfrom relgauss.ledger import SpendRecord\n"
    assert python(tmp_path, imports + rounds) == first
    other = python(tmp_path, imports + rounds.replace("study-7", "study-8"))
    assert other.startswith("1 () {'hospital-1': ")
    assert "All 5 releases that 'hospital-2' agreed on are spent." in other


def test_the_figures_are_the_computed_ones(project_root: Path):
    """Stated (epsilon, delta) in each of 40 rounds, noise for the sensitivity C, a true one of 2 C."""
    text = " ".join((project_root / "docs" / "federated.md").read_text(encoding="utf-8").split())
    true = {}
    for stated in (0.5, 2.0):
        mu = 2 * stated / math.sqrt(2 * math.log(1.25 / 1e-6))
        true[stated] = round_up(rg.compose((rg.GaussianDP(mu), 40)).epsilon(1e-6), 3)
    assert f"ε = 0.5 (δ = 1e-6) are ε = {true[0.5]} in truth, and ε = {true[2.0]} at a stated 2" in text


COMMAND_LINE = re.compile(r"^(?:flower-|flwr |relgauss )(?:.*\\\n)*.*$", re.MULTILINE)


def test_every_option_of_the_deployment_exists(project_root: Path, relgauss):
    """Of Flower's commands and our own, by their help."""
    text = (project_root / "docs" / "federated.md").read_text(encoding="utf-8")
    lines = [
        line
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
        for line in COMMAND_LINE.findall(block)
    ]
    used = {}
    for line in lines:
        words = line.split()
        command = tuple(words[: 3 if words[0] in ("flwr", "relgauss") else 1])
        used.setdefault(command, set()).update(re.findall(r" (--[a-z-]+)", line))
    assert {command[0] for command in used} == {"flower-superlink", "flwr", "relgauss"}
    for (program, *rest), options in used.items():
        if program == "relgauss":
            shown = relgauss(*rest, "--help").stdout
        else:
            command = [Path(sys.executable).with_name(program), *rest, "--help"]
            shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert options <= set(re.findall(r"--[a-z-]+", shown)), (program, *rest)
