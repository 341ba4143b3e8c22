"""How a node divides its budget between its set-up and its rounds: public, and fixed in advance."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from relgauss import validate
from relgauss.accounting import Failure, GaussianDP, Guarantee
from relgauss.budget import Budget, Charge, Condition, PrivacyStatement
from relgauss.budget.agreement import Agreement
from relgauss.errors import InvalidParameterError, LostReleaseError, NoGuaranteeError, SpentError
from relgauss.ledger.accounts import Stored
from relgauss.ledger.spend_record import SpendRecord
from relgauss.nodes.participant import simulation_rng
from relgauss.nodes.set_up import CLIPPED, LocalSetup, failure_within, release_setup, setup_charges
from relgauss.records.blocks import ArrayRows

_SETUP = 0.2  # of the budget's mu²
_SETUP_REQUEST = "setup"


@dataclass(frozen=True)
class NodePlan:
    """(1 + lost_setups) mu_setup² + rounds · mu_round² <= mu²

    Attributes
    ----------
    mu_setup
        The GDP parameter of the set-up.
    mu_round
        The GDP parameter of each round.
    rounds
        How many rounds the budget pays for.
    delta
        At which the budget is stated.
    failure
        The probability with which the certificate may be wrong; None, if there is to be none.
    lost_setups
        Set-ups that were begun and never finished: they are spent, and fewer rounds are left.
    """

    mu_setup: float
    mu_round: float
    rounds: int
    delta: float
    failure: float | None = None
    lost_setups: int = 0

    @classmethod
    def of(cls, budget: Budget, rounds: int, *, certified: bool) -> NodePlan:
        """Divide a whole budget; ``certified`` says that a part of its delta is for a certificate."""
        rounds = validate.count("rounds", rounds)
        failure = failure_within(budget.delta, certified=certified)
        rest = budget if failure is None else budget.after_failure(failure)
        mu = rest.split({"setup": _SETUP, "rounds": 1 - _SETUP})
        return cls(mu["setup"], mu["rounds"] / math.sqrt(rounds), rounds, budget.delta, failure)

    @property
    def noise_multiplier(self) -> float:
        """The standard deviation of a round's Gaussian noise, in units of its sensitivity."""
        return 1 / self.mu_round

    @property
    def per_round(self) -> GaussianDP:
        """The guarantee of a round with Gaussian noise."""
        return GaussianDP(1 / self.noise_multiplier)

    def agreement(self, per_round: Guarantee, *conditions: Condition) -> Agreement:
        """Agree on the set-up, and on the rounds, each with the guarantee ``per_round``."""
        setup = setup_charges(self.mu_setup, self.failure, 1 + self.lost_setups)
        return Agreement(per_round, self.rounds, self.delta, setup, (CLIPPED, *conditions))

    def whole(self, budget: Budget, *, is_simulated: bool) -> PrivacyStatement:
        """What set-ups, lost ones too, and rounds together stay within: this is what a ledger reserves."""
        rest = budget if self.failure is None else budget.after_failure(self.failure)
        charges = [Charge("set-up and rounds", GaussianDP(rest.mu), "proofs/nodes.md", (CLIPPED,))]
        if self.failure is not None:
            charges.append(Charge("certificate", Failure(self.failure), "proofs/certificates.md", (CLIPPED,)))
        return PrivacyStatement(tuple(charges), budget.delta, simulated=is_simulated)

    def check_cost(self, budget: Budget) -> None:
        """Refuse a plan whose set-ups and rounds, by the formula above, cost more than this budget."""
        rest = budget if self.failure is None else budget.after_failure(self.failure)
        squares = (1 + self.lost_setups) * self.mu_setup**2 + self.rounds * self.mu_round**2
        if not squares <= rest.mu**2:
            raise NoGuaranteeError(
                f"The plan is {math.sqrt(squares):.6g}-GDP, the budget pays for {rest.mu:.6g}.",
                "Plan fewer rounds, or cheaper ones.",
            )

    def check_size(self, records: int, dim: int) -> None:
        """Refuse a node whose rounds, all together, would be mostly noise: 2 d > n mu. n and d are public."""
        least = math.ceil(2 * dim / (self.mu_round * math.sqrt(self.rounds)))
        if records < max(least, 1):
            raise InvalidParameterError(
                "records",
                records,
                f"at least {max(least, 1)} for {dim} columns at this budget",
                "Its gradients would be mostly noise: join it with another node, or spend more.",
            )

    def after_lost_setups(self, name: str, record: SpendRecord) -> NodePlan:
        """The plan for what is left after set-ups that were given up: each takes whole rounds."""
        lost = 0
        while record.is_abandoned(_account(name, lost), _SETUP_REQUEST):
            lost += 1
        left = self.rounds - math.ceil(lost * self.rounds_of_a_setup)
        if left < 1:
            raise SpentError(
                f"{lost} set-ups of {name!r} were lost, and nothing is left for rounds.",
                "Go on without this node; more would need a new agreement and more budget.",
            )
        return replace(self, rounds=left, lost_setups=lost)

    @property
    def rounds_of_a_setup(self) -> float:
        """How many rounds cost as much as a set-up."""
        return (self.mu_setup / self.mu_round) ** 2

    def set_up(
        self,
        name: str,
        rows: ArrayRows,
        record: SpendRecord,
        seed: int | None,
        label_bound: float | None = None,
    ) -> LocalSetup:
        """Release the set-up, once; a restarted node reads back what it released then.

        Proof: proofs/durable-record.md.

        Parameters
        ----------
        name
            The node's name.
        rows
            Its records.
        record
            The durable record of what was spent.
        seed
            Asks for simulated noise; None, for secure noise.
        label_bound
            A public bound on the labels' sizes, which is then not estimated.
        """
        account = _account(name, self.lost_setups)
        marks = f"mu {self.mu_setup!r}, failure {self.failure!r}, label bound {label_bound!r}, seed {seed!r}"
        record.open_account(account, marks, 1)
        try:
            reserved = record.reserve(account, _SETUP_REQUEST, f"{rows.count} × {rows.columns}")
        except LostReleaseError as lost:
            raise LostReleaseError(
                lost.cause,
                f"Wait if its process still runs. If that is dead, call record.abandon({account!r}, "
                f"{_SETUP_REQUEST!r}) and start again: the lost set-up stays spent, for "
                f"{math.ceil(self.rounds_of_a_setup)} of the rounds.",
            ) from None
        if isinstance(reserved, Stored):
            return LocalSetup.from_text(reserved.release)
        rng = None if seed is None else simulation_rng(seed, account if self.lost_setups else name, 0)
        with np.errstate(all="ignore"):  # whatever the process asked for: a warning would tell of a record
            released = release_setup(rows, self.mu_setup, self.failure, rng, label_bound)
        record.commit(account, _SETUP_REQUEST, released.to_text())
        return released


def _account(name: str, lost_setups: int) -> str:
    """The account of a set-up: each attempt has its own."""
    return f"{name}/setup" + (f" {lost_setups + 1}" if lost_setups else "")
