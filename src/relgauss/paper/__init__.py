"""The paper's experiments and its literal constants, which are read from the data: nothing here is private.

Hendrikx, Mangold and Bellet, *The Relative Gaussian Mechanism and its Application to Private Gradient
Descent* (AISTATS 2024). Names that contain ``not_private`` use constants computed from private records, as
the paper's illustration does; ``strict`` spends a budget on everything it learns.
"""
