"""The released means as a part of a page: for somebody who reads them, and does not compute with them."""

from __future__ import annotations

from relgauss.grouped import GroupedRelease
from relgauss.grouped.html import cell_text
from relgauss.report.page import Section, paragraph, table

_NOTE = (
    "A mean is of use if its interval is narrower than a factor of two and no released count speaks against "
    "it."
)


def means_section(release: GroupedRelease) -> Section:
    """A row for each group: its size, mean and interval, whether that is of use; then what to beware of."""
    columns = release.columns()
    names = ("group", "n", "estimate", "lower", "upper", "usable", "flag")
    rows = [
        (
            group,
            f"{size:,}",
            "-" if estimate is None else cell_text(estimate),
            "-" if lower is None or upper is None else f"{cell_text(lower)} to {cell_text(upper)}",
            "yes" if usable else flag or "wide",
        )
        for group, size, estimate, lower, upper, usable, flag in zip(
            *(columns[name] for name in names), strict=True
        )
    ]
    shown = table((release.by, "rows", f"mean {release.value}", "interval", "of use"), rows, words=(4,))
    notes = [_NOTE, *release.notes(), *release.cautions()]
    return Section("The table", shown + "".join(map(paragraph, notes)))
