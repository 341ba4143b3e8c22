"""Turns, in whatever order threads come to them."""

from threading import Thread

import numpy as np
import pytest

from relgauss.grouped.turns import Turns
from relgauss.records.threads import in_threads


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_turns_follow_each_other(threads: int):
    turns, order, inside = Turns(), list[int](), list[int]()

    def work(place: int) -> int:
        with turns.of(place) as turn:
            np.sort(np.random.default_rng(place).random(1_000 * (place % 5)))  # some take longer than others
            with turn:
                inside.append(place)
                assert inside == [place]
                order.append(place)
                inside.pop()
        return place

    assert list(in_threads(work, range(40), threads)) == list(range(40)) == order


@pytest.mark.parametrize("in_turn", [False, True])
def test_nobody_waits_for_an_item_that_failed(in_turn: bool):
    turns, reached = Turns(), list[int]()

    def last() -> None:
        with turns.of(1) as turn, turn:
            reached.append(1)

    def fail() -> None:
        with turns.of(0) as turn:
            if in_turn:
                with turn:
                    raise ValueError("planted")
            raise ValueError("planted")

    waiting = Thread(target=last)
    waiting.start()
    with pytest.raises(ValueError, match="planted"):
        fail()
    waiting.join(10)
    assert reached == [1]
