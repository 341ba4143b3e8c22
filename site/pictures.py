"""Draw the pictures of the explaining pages into docs/images: ``.venv/bin/python site/pictures.py``.

Everything drawn is computed here by the library itself, on made-up numbers.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from sklearn.linear_model import LinearRegression

from relgauss import Budget, GaussianDP, IsometricGaussian, RelativeSensitivity
from relgauss.accounting import bayes_advantage, true_positive_rate
from relgauss.linear_model import PrivateRidge
from relgauss.report.style import BLACK, BLUE, GREEN, GREY, ORANGE, VERMILION, new_figure, save, tidy

IMAGES = Path(__file__).parents[1] / "docs" / "images"
DELTA = 1e-6


def membership() -> None:
    """What a guesser gains, for four budgets."""
    figure = new_figure(7.0, 4.2)
    axes = figure.subplots()
    rates = np.geomspace(1e-3, 1.0, 200)[:-1]
    for epsilon, colour in ((0.1, GREEN), (1.0, BLUE), (3.0, ORANGE), (10.0, VERMILION)):
        guarantee = GaussianDP(Budget(epsilon, DELTA).mu)
        found = [true_positive_rate(guarantee, float(rate)) for rate in rates]
        axes.plot(rates, found, color=colour, label=f"epsilon {epsilon:g}")
    axes.plot(rates, rates, color=GREY, linestyle="--", label="a blind guess")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("records that were not there and are called so (false alarms)")
    axes.set_ylabel("records that were there and are found")
    axes.legend(frameon=False)
    tidy(axes)
    save(figure, IMAGES / "membership.png")


OTHERS = {  # as their owners published them: docs/choosing-epsilon.md has the sources
    "Facebook, shared links:\none action of a user": 0.45,
    "2020 census, housing units": 2.47,
    "Google, mobility reports:\na user's day": 2.64,
    "Apple, emoji: a user's day,\nnoised on the phone": 4.0,
    "2020 census, persons": 17.14,
}


def others() -> None:
    """What others have used, beside how often a guess between two records is right."""
    figure = new_figure(7.0, 3.4)
    axes = figure.subplots()
    places = range(len(OTHERS))
    axes.scatter(list(OTHERS.values()), places, color=BLUE, zorder=3)
    for place, epsilon in zip(places, OTHERS.values(), strict=True):
        axes.annotate(f"{epsilon:g}", (epsilon, place + 0.2), fontsize=8.5, ha="center", color=BLACK)
    axes.set_xscale("log")
    axes.set_xlim(0.05, 40)
    axes.set_ylim(-0.9, len(OTHERS) - 0.3)
    axes.set_yticks(places, OTHERS)
    axes.set_xlabel("epsilon")
    for epsilon in (0.1, 1.0, 10.0):
        right = 0.5 + bayes_advantage(GaussianDP(Budget(epsilon, DELTA).mu))
        axes.axvline(epsilon, color=GREY, linestyle="--", linewidth=0.8)
        axes.annotate(f"{right:.0%}", (epsilon * 1.06, -0.75), fontsize=8.5, color=GREY)
    tidy(axes)
    axes.set_xticks([0.1, 1.0, 10.0], ["0.1", "1", "10"])
    axes.minorticks_off()
    save(figure, IMAGES / "others-epsilon.png")


def relative() -> None:
    """How far one record moves an answer, by the size of the answer."""
    figure = new_figure(7.0, 3.8)
    axes = figure.subplots()
    norms = np.geomspace(1.0, 1e6, 200)
    bound = RelativeSensitivity(eta=0.01, r=10.0)
    axes.plot(
        norms,
        [bound.local_scale(each) for each in norms],
        color=BLUE,
        label="a relative bound: 1 %, and 10 at zero",
    )
    axes.axhline(1e4, color=ORANGE, label="a ceiling that holds for all")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("size of the answer")
    axes.set_ylabel("how far one record moves it")
    axes.legend(frameon=False)
    tidy(axes)
    save(figure, IMAGES / "relative-bound.png")


def local_noise() -> None:
    """Noise whose size follows the answer tells the answer's size: two neighbours, many coordinates."""
    figure = new_figure(7.0, 3.8)
    axes = figure.subplots()
    rng = np.random.default_rng(1)
    dim, norm, eta = 200, 1000.0, 0.1
    for size, colour, name in ((norm, BLUE, "without the record"), (norm * (1 + eta), ORANGE, "with it")):
        noise = rng.normal(0.0, 4 * eta * size, (20_000, dim))
        spread = np.sqrt((noise**2).mean(axis=1))
        axes.hist(spread, bins=80, density=True, histtype="step", color=colour, label=name)
    axes.set_xlabel("spread of the released coordinates")
    axes.set_yticks([])
    axes.legend(frameon=False)
    tidy(axes)
    save(figure, IMAGES / "local-noise.png")


def isometric() -> None:
    """The map: steps of one record are equally long everywhere."""
    figure = new_figure(7.0, 3.8)
    axes = figure.subplots()
    bound = RelativeSensitivity(eta=0.25, r=1.0, nonnegative=True)
    mechanism = IsometricGaussian(bound, dim=1, noise_multiplier=1.0)
    answers = np.linspace(0.0, 60.0, 400)
    encoded = [float(mechanism.encode([each])[0]) for each in answers]
    axes.plot(answers, encoded, color=BLUE)
    answer = 0.0
    while answer < 60:
        image = float(mechanism.encode([answer])[0])
        axes.plot([answer, answer], [0, image], color=GREY, linewidth=0.7)
        axes.plot([0, answer], [image, image], color=GREY, linewidth=0.7)
        answer += bound.local_scale(answer)
    axes.plot([], [], color=BLACK, linewidth=0.7, label="one record further, each time")
    axes.set_xlabel("answer")
    axes.set_ylabel("where the map takes it")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, IMAGES / "isometric-map.png")


def clipping() -> None:
    """A line through everything and a model that clips, where the label levels off and where it goes on."""
    figure = new_figure(9.0, 3.8)
    for axes, levels_off in zip(figure.subplots(1, 2, sharey=True), (True, False), strict=True):
        rng = np.random.default_rng(1)
        size = rng.lognormal(4.0, 1.2, 20_000)
        label = 3 * (np.minimum(size, 150) if levels_off else size) + rng.normal(0, 40, size.size)
        X = size[:, None]
        grid = np.linspace(0, 1500, 400)[:, None]
        axes.scatter(size[:4000], label[:4000], s=3, color=GREY, alpha=0.35, linewidths=0)
        axes.plot(grid, LinearRegression().fit(X, label).predict(grid), color=ORANGE, label="least squares")
        private = PrivateRidge(epsilon=1.0, delta=DELTA, random_state=1).fit(X, label)
        axes.plot(grid, private.predict(grid), color=BLUE, label="PrivateRidge, epsilon 1")
        axes.set_xlim(0, 1500)
        axes.set_ylim(-150, 2500)
        axes.set_xlabel("feature")
        axes.set_title("the label levels off" if levels_off else "it goes on", fontsize=10)
        tidy(axes)
    figure.axes[0].set_ylabel("label")
    figure.axes[0].legend(frameon=False)
    save(figure, IMAGES / "clipping.png")


if __name__ == "__main__":
    for draw in (membership, others, relative, local_noise, isometric, clipping):
        draw()
