"""Made-up tables for a first try: nobody's data, by fixed public recipes."""

from relgauss.examples.homes import make_homes, write_homes
from relgauss.examples.payroll import write_payroll

__all__ = ["make_homes", "write_homes", "write_payroll"]
