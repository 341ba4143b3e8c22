"""What a release would be like, before anything is spent: the real code on made-up records.

Nothing here is given a record. What goes in is public: numbers of rows, groups and columns, a range, a
budget, and a form of the values that the user states beforehand.
"""

from relgauss.forecast.fit import forecast_fit
from relgauss.forecast.fit_forecast import FitForecast
from relgauss.forecast.means import MeansForecast, forecast_means
from relgauss.forecast.statistic import StatisticForecast
from relgauss.forecast.table import forecast_table
from relgauss.forecast.table_forecast import TableForecast

__all__ = [
    "FitForecast",
    "MeansForecast",
    "StatisticForecast",
    "TableForecast",
    "forecast_fit",
    "forecast_means",
    "forecast_table",
]
