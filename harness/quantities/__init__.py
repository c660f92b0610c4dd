"""Numbers with unit, scale, sign and stated precision: read, compared, found on pages."""

from harness.quantities.comparing import Comparison, compare
from harness.quantities.pages import FigureFound, PageFigures, find_on_pages, read_page
from harness.quantities.quantity import Quantity
from harness.quantities.reading import read_all, read_quantities

__all__ = [
    "Comparison",
    "FigureFound",
    "PageFigures",
    "Quantity",
    "compare",
    "find_on_pages",
    "read_all",
    "read_page",
    "read_quantities",
]
