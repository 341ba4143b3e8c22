"""Whatever is done with a ledger, in whatever order and through however many copies: it knows all of it."""

import math
import tempfile
from fractions import Fraction
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import relgauss as rg
from relgauss.accounting import gdp
from relgauss.errors import OverBudgetError
from relgauss.ledger import Ledger

mus = st.floats(1e-3, 0.3)


def statement(mu: float) -> rg.PrivacyStatement:
    return rg.PrivacyStatement((rg.Charge("a mean", rg.GaussianDP(mu), "proofs/conversions.md"),), 1e-6)


class LedgerModel(RuleBasedStateMachine):
    """Beside the ledger, exact arithmetic: sums of mu² as fractions."""

    @initialize(epsilon=st.floats(0.2, 2))
    def make(self, epsilon):
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name, "x.ledger")
        self.ledger = Ledger.create(file, dataset="x", unit="row", epsilon=epsilon, delta=1e-6)
        self.epsilon = epsilon
        self.most = Fraction(gdp.mu(epsilon, 1e-6)) ** 2
        self.spent = Fraction(0)
        self.waiting = []
        self.is_over = False

    @rule(mu=mus)
    def reserve(self, mu):
        cost = Fraction(mu) ** 2
        left = self.ledger.left()
        try:
            self.waiting.append(self.ledger.reserve(statement(mu)))
        except OverBudgetError as error:
            refused = error
        else:
            self.spent += cost
            assert self.spent <= self.most
            return
        assert self.spent + cost > self.most
        assert refused.left == left

    @precondition(lambda self: self.waiting)
    @rule(share=st.just(0.0) | st.floats(1e-6, 1))
    def record(self, share):
        reservation = self.waiting.pop()
        (charge,) = reservation.planned.charges
        self.ledger.record(reservation, statement(charge.guarantee.mu * share))

    @rule(mu=mus, beyond=st.booleans())
    def add_outside(self, mu, beyond):
        try:
            self.ledger.add_outside(rg.GaussianDP(mu), "elsewhere", beyond=beyond)
        except OverBudgetError:
            assert not beyond
            assert self.spent + Fraction(mu) ** 2 > self.most
        else:
            self.spent += Fraction(mu) ** 2
            self.is_over = self.is_over or self.spent > self.most

    @rule()
    def come_back(self):
        self.ledger = Ledger.open(self.ledger.file)

    @invariant()
    def it_knows_everything(self):
        if not hasattr(self, "ledger"):
            return
        assert self.ledger.state().budget.spent == (self.spent,)
        left = max(0, float(self.most - self.spent))
        assert math.isclose(self.ledger.state().budget.left.mu ** 2, left, rel_tol=1e-9, abs_tol=1e-15)
        self.ledger.verify()
        if not self.is_over:
            assert self.ledger.statement().epsilon() <= self.epsilon

    def teardown(self):
        if hasattr(self, "folder"):
            self.folder.cleanup()


TestLedger = LedgerModel.TestCase
TestLedger.settings = settings(max_examples=8, stateful_step_count=8, deadline=None)
