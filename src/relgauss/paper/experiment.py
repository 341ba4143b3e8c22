"""Run a panel: every method from the same start over the same split, several times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from relgauss.accounting import compose
from relgauss.arrays import FloatArray
from relgauss.errors import UnreachableTargetError
from relgauss.nodes.node import Node
from relgauss.nodes.participant import Released
from relgauss.nodes.rounds import run_rounds
from relgauss.paper.constants_not_private import constants_not_private
from relgauss.paper.dataset import Dataset
from relgauss.paper.methods_not_private import METHODS, NOISELESS
from relgauss.paper.node_objective import NodeObjective, total_minimum
from relgauss.paper.panels import STEPS, Panel, split_over_nodes, step_size

Progress = Callable[[int, str], None]  # is told how many more runs are done, and of what
DELTA = 1e-6  # at which whole runs are read


@dataclass(frozen=True, eq=False)
class Curve:
    """``errors[run, step]``: Σ_i f_i(theta_t) - min, from theta_0 = 0.

    ``epsilon`` is that of one whole run at ``DELTA``: proven if the result is strict, else what it would be
    if the constants held; None where there is no noise.
    """

    method: str
    errors: FloatArray
    epsilon: float | None

    @property
    def final(self) -> FloatArray:
        """The error after the last step, run by run."""
        return self.errors[:, -1]


@dataclass(frozen=True, eq=False)
class PanelResult:
    """All curves of a panel; ``missing`` says of methods that could not be run why, in one line each.

    ``strict``: nothing was read from the data outside of a budget. Otherwise all curves are illustrative.
    """

    panel: Panel
    source: str
    curves: tuple[Curve, ...]
    missing: dict[str, str]
    strict: bool = False
    simulated: bool = True

    def curve(self, method: str) -> Curve:
        """The curve of one method."""
        return next(each for each in self.curves if each.method == method)

    def over_noiseless(self, method: str) -> FloatArray:
        """The final error over the noiseless one, run by run; not finite where that ends in the minimum."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio: FloatArray = self.curve(method).final / self.curve(NOISELESS).final
        return ratio


def run_panel_not_private(
    panel: Panel,
    data: Dataset,
    runs: int,
    rng: np.random.Generator,
    methods: Sequence[str] = tuple(METHODS),
    progress: Progress | None = None,
) -> PanelResult:
    """The literal protocol: constants are read from the data, the noise is simulated."""
    errors: dict[str, list[FloatArray]] = {NOISELESS: [], **{method: [] for method in methods}}
    epsilons: dict[str, float | None] = {NOISELESS: None}
    missing: dict[str, str] = {}
    for _ in range(runs):
        objectives = split_over_nodes(data, panel.split, rng)
        trace = Trace(objectives)
        errors[NOISELESS].append(trace.noiseless())
        constants = [constants_not_private(each) for each in objectives]
        for method in methods:
            try:
                nodes = [
                    METHODS[method](objective, of, panel.epsilon, rng)
                    for objective, of in zip(objectives, constants, strict=True)
                ]
            except UnreachableTargetError as refusal:
                missing[method] = refusal.cause
            else:
                errors[method].append(trace.of(nodes))
                if method not in epsilons:  # of the first split; others differ in the third digit
                    epsilons[method] = whole_run(nodes)
            if progress is not None:
                progress(1, f"{panel.name}, {method}")
    curves = [
        Curve(name, np.array(each), epsilons[name]) for name, each in errors.items() if len(each) == runs
    ]
    return PanelResult(panel, data.source, tuple(curves), missing)


def whole_run(nodes: Sequence[Node]) -> float:
    """The epsilon of all steps, of the node that spends most (proofs/nodes.md)."""
    return max(compose((node.guarantee, STEPS)).epsilon(DELTA) for node in nodes)


class Trace:
    """Errors along a descent over these objectives."""

    def __init__(self, objectives: list[NodeObjective]) -> None:
        self.objectives = objectives
        self.least = total_minimum(objectives)
        self.start = np.zeros(objectives[0].dim)
        self.step_size = step_size(objectives)

    def error(self, theta: FloatArray) -> float:
        """Σ_i f_i(theta) - min."""
        return sum(each.value(theta) for each in self.objectives) - self.least

    def of(self, nodes: Sequence[Node], step_size: float | None = None) -> FloatArray:
        """The errors of a run over these nodes; by default with the paper's step size, read from the data."""
        return self._along([node.release for node in nodes], step_size or self.step_size)

    def noiseless(self) -> FloatArray:
        """The errors of plain gradient descent."""
        return self._along([each.gradient for each in self.objectives], self.step_size)

    def _along(self, gradients: Sequence[Gradient], step_size: float) -> FloatArray:
        nodes = [_Unrecorded(f"{number:04d}", each) for number, each in enumerate(gradients)]
        states = run_rounds(nodes, self.start, step_size, STEPS, job="experiment")
        thetas = [self.start, *(np.asarray(state.theta) for state, _ in states)]
        return np.array([self.error(theta) for theta in thetas])


Gradient = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class _Unrecorded:
    """Takes part in one run in this process, which asks once for each step: there is nothing to record."""

    name: str
    gradient: Gradient

    def reply(self, _: str, theta: FloatArray) -> Released:
        return Released(self.gradient(theta))
