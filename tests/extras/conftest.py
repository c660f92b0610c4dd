"""Each extra does its work, offline: one file an extra, one real call each. `.ci/run` runs them where all are installed.

A test whose package is missing is skipped with one line; with HARNESS_EXTRAS=1 that skip is a failure.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from harness.cli import QUIET

# Set before any test file is imported, and until the process ends: deepeval looks at its switch once more when it leaves.
os.environ.update(QUIET | {"HF_HUB_OFFLINE": "1", "RAY_USAGE_STATS_ENABLED": "0"})

MUST_RUN = os.environ.get("HARNESS_EXTRAS") == "1"


def without_skip(report: Any) -> Any:
    """The report of a test or of a whole file; under HARNESS_EXTRAS=1, what was skipped has failed."""
    if MUST_RUN and report.outcome == "skipped":
        report.outcome = "failed"
        report.longrepr = f"skipped, where every extra is said to be installed: {report.longrepr[-1]}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    return without_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    return without_skip((yield))


@pytest.fixture
def report_pdf(tmp_path: Path) -> Path:
    """A page with a heading and a sentence."""
    canvas = pytest.importorskip("reportlab.pdfgen.canvas", reason="reportlab draws the test PDFs")
    page = canvas.Canvas(str(tmp_path / "report.pdf"), invariant=True)
    page.setFont("Helvetica-Bold", 18)
    page.drawString(72, 760, "Annual report")
    page.setFont("Helvetica", 11)
    page.drawString(72, 720, "Revenue rose to USD 1,284 million in the year.")
    page.save()
    return tmp_path / "report.pdf"


@pytest.fixture
def scan() -> Image.Image:
    """A picture of one word and one figure, as a scanner gives it: there is no text to extract."""
    picture = Image.new("RGB", (640, 160), "white")
    ImageDraw.Draw(picture).text((40, 40), "Revenue 1284", fill="black", font=ImageFont.load_default(64))
    return picture
