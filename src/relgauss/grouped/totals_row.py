"""The totals row by what was released of the groups, where that says more than what was released of all.

Noise of the groups is independent, so that of their sum grows as the square root of their number; what a
mean's interval assumes beyond windows may err to one side in all of them, and adds up:

    mean = sum_g w_g m_g   give or take   sqrt(sum_g (w_g e_g)² + sum_g ((m_g - mean) d_g/N)²) + sum_g w_g t_g

with w_g = N_g/N, e_g the reach of noise on the mean of a group's clipped values, d_g that on N_g, and t_g how
much further the group's interval reaches than e_g. All of it is post-processing. Proof:
proofs/grouped-intervals.md.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from relgauss.arrays import FloatArray
from relgauss.grouped.column_estimates import FLAGS, UNKNOWN, ColumnEstimates, StatisticEstimates
from relgauss.grouped.column_statistics import Interval, share_interval, share_width, sum_interval
from relgauss.grouped.noisy_measurements import Present
from relgauss.grouped.signed_grid import SignedGrid
from relgauss.grouped.totals_by_groups import estimates_by_groups, have_less_noise
from relgauss.grouped.usefulness import Yardsticks, said_of


def narrower_totals(
    direct: ColumnEstimates,
    groups: ColumnEstimates,
    size_std: float,
    deviates: float,
    grid: SignedGrid,
) -> ColumnEstimates:
    """The totals row, each statistic as released of all, or by groups where that is narrower or unflagged.

    A mean that was released of all is given up where the groups speak against it: a small group far from the
    others is often found by itself, and not in all. A group that is not usable may be all that its interval
    holds. Where all together are too small for a release, no mean is said: it would stand without a window,
    the interval of the clipped mean and a bound for what lies outside.

    Estimates of quantiles, and of a mean where nothing is known of some small groups, follow the groups too,
    inside of the interval that was released of all. Shares, and counts of public rows, are taken from where
    counts have less noise: their intervals end at none and all, so they are narrowest where noise led there,
    and the narrower of two would hold too rarely.

    Parameters
    ----------
    direct
        What was released of all groups together: one row.
    groups
        The same statistics of each group.
    size_std
        The noise level of the groups' sizes: 0 if they are public.
    deviates
        How many noise levels an interval reaches.
    grid
        The grid of the column, which quantiles lie on.
    """
    by_groups = _by_groups(groups, size_std, deviates, leaves_out_missing=grid.leaves_out_missing)
    if direct.edges.noise_std[0] == 0:
        by_groups.pop("mean", None)
    nearer = estimates_by_groups(direct, groups, grid, has_ramps=size_std == 0)
    less_noise = have_less_noise(groups, direct)
    by_noise = {"zeros", "missing", "count"} if size_std == 0 else {"zeros", "missing"}
    statistics = dict(direct.statistics)
    for name, own in direct.statistics.items():
        if name in nearer and name not in by_groups:
            inside = np.clip(nearer[name], own.lower, own.upper)
            statistics[name] = replace(own, estimate=inside)
        if name in by_groups:
            ends, width = by_groups[name]
            said = _said(name, ends, np.zeros(1, dtype=np.int8), width)
            narrower = bool(said.upper[0] - said.lower[0] < own.upper[0] - own.lower[0])
            if name == "mean" and _speak_against(groups, own):
                own = _not_usable(own)
                statistics |= {"sum": _not_usable(direct.statistics["sum"])} if "sum" in statistics else {}
                narrower = True
            if own.flags[0] or (less_noise if name in by_noise else narrower):
                statistics[name] = (
                    said if name in by_noise else replace(said, usable=said.usable | own.usable)
                )
    return with_sums(replace(direct, statistics=statistics))


def with_sums(estimates: ColumnEstimates) -> ColumnEstimates:
    """The same, with sums that are means times counts of values, at both ends; usable sums stay so."""
    statistics = estimates.statistics
    if not {"mean", "count", "sum"} <= set(statistics):
        return estimates
    mean, count, old = (statistics[name] for name in ("mean", "count", "sum"))
    ends = sum_interval((mean.estimate, mean.lower, mean.upper), (count.estimate, count.lower, count.upper))
    new = _said("sum", ends, mean.flags)
    changed = replace(new, usable=new.usable | (old.usable & (mean.flags == 0)))
    return replace(estimates, statistics=statistics | {"sum": changed})


def _said(
    name: str, ends: Interval, flags: NDArray[np.int8], share_width: FloatArray | None = None
) -> StatisticEstimates:
    """A statistic that is of use if its ends are within a factor of two, or a share by its noise."""
    nothing = np.zeros(len(flags))
    width = nothing if share_width is None else share_width
    return said_of(name, ends, flags, Yardsticks(nothing, nothing, nothing, width, width))


def _by_groups(
    groups: ColumnEstimates, size_std: float, deviates: float, *, leaves_out_missing: bool
) -> dict[str, tuple[Interval, FloatArray | None]]:
    """What the groups say of all; nothing, if nothing was released of some of them.

    Beside shares stands how wide their noise makes an interval.
    """
    edges = groups.edges
    if not len(edges.rows) or (edges.noise_std == 0).any():
        return {}
    rows, missing, zeros = (_sum(each) for each in (edges.rows, edges.missing, edges.zeros))
    noise, rows_std = _root(edges.noise_std), np.full(1, size_std * np.sqrt(len(edges.rows)))
    all_rows, present = Present(rows, rows_std), Present(rows, rows_std)
    if leaves_out_missing:
        present = Present(rows - missing, np.hypot(noise, rows_std))
    found: dict[str, tuple[Interval, FloatArray | None]] = {
        "count": (_whole(present, rows if size_std == 0 else np.full(1, np.inf), deviates), None)
    }
    for name, counted, whole in (("missing", missing, all_rows), ("zeros", zeros, present)):
        likely = np.maximum(counted / np.maximum(whole.values, 1.0), 0.0)
        ends = share_interval((counted, noise), whole, likely, deviates)
        found[name] = ends, share_width(noise, whole, deviates)
    mean = _mean(groups, np.hypot(edges.noise_std * leaves_out_missing, size_std), deviates)
    return found if mean is None else found | {"mean": (mean, None)}


def _mean(groups: ColumnEstimates, number_std: FloatArray, deviates: float) -> Interval | None:
    one, window, numbers = groups.statistics.get("mean"), groups.window, _numbers(groups)
    number = numbers.sum()
    if one is None or (one.flags[_known(one)] != 0).any() or (numbers <= 0).any() or not _known(one).any():
        return None
    weights = numbers / number
    mean = (weights * one.estimate)[_known(one)].sum() / weights[_known(one)].sum()
    each = np.where(_known(one), one.estimate, mean)
    reach = (window.clipped_upper - window.clipped_lower) / 2
    between = deviates * (each - mean) * number_std / number
    noise = np.sqrt((weights**2 * reach**2 + between**2).sum())
    below, above = (
        (weights * np.maximum(further - reach, 0.0)).sum() for further in (each - one.lower, one.upper - each)
    )
    lower = max(mean - noise - below, one.lower.min())  # the mean of all is between those of groups
    upper = min(mean + noise + above, one.upper.max())
    return np.full(1, np.clip(mean, lower, upper)), np.full(1, lower), np.full(1, upper)


def _speak_against(groups: ColumnEstimates, own: StatisticEstimates) -> bool:
    """Whether the means of groups add up to one outside of this interval.

    Those that are not usable may be anything in their own intervals.
    """
    one, weights = groups.statistics["mean"], _numbers(groups) / _numbers(groups).sum()
    least, most = (
        (weights * np.where(one.usable, one.estimate, end)).sum() for end in (one.lower, one.upper)
    )
    return bool(most < own.lower[0] or least > own.upper[0])


def _not_usable(one: StatisticEstimates) -> StatisticEstimates:
    return replace(one, usable=np.zeros(len(one.usable), dtype=np.bool_))


def _numbers(groups: ColumnEstimates) -> FloatArray:
    return groups.edges.rows - groups.edges.missing


def _known(one: StatisticEstimates) -> NDArray[np.bool_]:
    """The groups of which something is known; the interval of the others is the whole public range."""
    return np.asarray(one.flags != FLAGS.index(UNKNOWN))


def _whole(number: Present, most: FloatArray, deviates: float) -> Interval:
    reach = deviates * number.noise_std
    lower, upper = (
        np.clip(end, 0.0, most) for end in (np.floor(number.values - reach), np.ceil(number.values + reach))
    )
    return np.clip(np.rint(number.values), lower, upper), lower, upper


def _sum(each: FloatArray) -> FloatArray:
    return np.asarray(each.sum(keepdims=True))


def _root(each: FloatArray) -> FloatArray:
    return np.asarray(np.sqrt((each**2).sum(keepdims=True)))
