"""PDFium, whose bindings have no types; every call of it is on one thread."""

from typing import Any

import pypdfium2
from pypdfium2 import raw as _raw

pdfium: Any = pypdfium2
raw: Any = _raw
PdfiumError: type[Exception] = pypdfium2.PdfiumError

Pdf = Any
PdfPage = Any
PdfTextPage = Any
