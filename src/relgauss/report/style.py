"""The look that all pictures share, and how they reach a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from relgauss.errors import InvalidParameterError, MissingExtraError
from relgauss.writing import check_place, write_together

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")

# Okabe and Ito's palette, told apart with every kind of colour vision.
BLACK, GREY = "#000000", "#6f6f6f"
BLUE, ORANGE, GREEN, VERMILION = "#0072b2", "#e69f00", "#009e73", "#d55e00"
SKY, PURPLE = "#56b4e9", "#cc79a7"

_DOTS_PER_INCH = 200


def check_plot_file(file: Path) -> None:
    """Refuse, before any work, a file that no picture could be written to."""
    if file.suffix.lower() not in FORMATS:
        raise InvalidParameterError(
            "plot", str(file), "a .png, .svg or .pdf file", "Change the file's ending."
        )
    check_place(file)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("A plot", "plot") from None


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of this size in inches, apart from pyplot and its global state."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), facecolor="white", layout="constrained")


def tidy(axes: Axes) -> None:
    """Take off what carries no information."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(which="both", color=GREY)
    axes.grid(which="major", color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)


def save(figure: Figure, file: Path) -> None:
    """Write the picture in the format that the file's ending names; an older one is replaced."""
    write_together([(file, lambda path: figure.savefig(path, dpi=_DOTS_PER_INCH))])
