"""How fast are pages as the web has them? The crawlers side by side on any folder of saved pages.

    python -m bench.web FOLDER [--crawlers reference,tenax,colly,scrapy] [--rounds 3]

P11 of `make bench` on the HTML files below the folder, served on loopback with links between them
(`bench.saved`); then where the time goes while Tenax reads such a page (`bench.steps`).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench import run
from bench.steps import measure_steps


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.web", description=__doc__)
    parser.add_argument("folder", type=Path)
    options, others = parser.parse_known_args()
    failed = run.main(["--only", "P11", "--pages", str(options.folder), *others])
    print("\n" + measure_steps(options.folder).markdown())
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
