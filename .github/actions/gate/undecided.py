"""What a job makes of a gate that could not tell: a warning, or exit 3 where the observed drop exceeds the margin."""

import json
import sys
from pathlib import Path

found = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
checks = found if isinstance(found, list) else [found]
beyond = [name for check in checks for name, metric in check["metrics"].items() if metric["beyond"]]
for check in checks:
    for reason in check["reasons"]:
        print(f"::{'error' if beyond else 'warning'}::{check['system']}: {reason}")
sys.exit(3 if beyond else 0)
