"""Private estimates of where values lie, each from noisy releases.

``column_ranges`` finds the range of every column, ``scaling`` the units that follow from it, ``quantiles``
the norms to clip at, ``whitening`` the centre and the coordinates in which rows are white;
``noisy_ranges`` reads the counts that show ranges.
"""
