"""How is the demo web served by itself? `python -m tenax.demo`, until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Sequence

from tenax.demo.server import SITES, DemoWeb
from tenax.demo.site import Site
from tenax.demo.tree import TreeSite


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when stopped by a signal, 2 when the web could not be served."""
    options = _parser().parse_args(arguments)
    hosts: list[str | Site] = [TreeSite(pages=options.tree)] if options.tree else []
    hosts += options.sites or ([] if options.tree else list(SITES))
    try:
        asyncio.run(_serve(DemoWeb(hosts, port_base=options.port_base), as_json=options.json))
    except (OSError, ValueError) as error:
        print(f"tenax.demo: {error}", file=sys.stderr)
        return 2
    return 0


async def _serve(web: DemoWeb, *, as_json: bool) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    async with web:
        if as_json:
            print(json.dumps({name: site.url for name, site in web.sites.items()}), flush=True)
        else:
            print(_directory(web), flush=True)
        await stop.wait()


def _directory(web: DemoWeb) -> str:
    rows = [f"  {name:14}{site.url:28}{site.title}" for name, site in web.sites.items()]
    return "\n".join(["The demo web is up:", *rows, "Stop it with Ctrl-C."])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tenax.demo", description=__doc__)
    parser.add_argument("sites", nargs="*", metavar="SITE", help=f"which ones: {', '.join(SITES)}")
    parser.add_argument("--port-base", type=int, default=0, help="first port; default: free ones")
    parser.add_argument(
        "--tree", type=int, default=0, metavar="PAGES", help="a plain site of PAGES"
    )
    parser.add_argument("--json", action="store_true", help="print the URLs as one line of JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
