"""Who may ask what? Each route is asked as everybody; `python -m tests.who_may` writes it down."""

from __future__ import annotations

import asyncio
import re
import tempfile
from pathlib import Path

from tenax.api.callers import COOKIE
from tenax.api.guard import GuardedRoute, declared
from tenax.model import JobSpec
from tenax.ops.accounts.api_keys import add_key
from tenax.ports.accounts import ApiRole
from tenax.settings import Settings
from tests.asking import MUCH, Asker, ask, opened

REFERENCE = Path(__file__).parents[1] / "docs" / "reference" / "api.md"
BEGIN, END = "<!-- who may: python -m tests.who_may -->\n", "<!-- end -->\n"
CALLERS = (
    "anonymous", "user", "admin", "key for one job", "session over", "session, other site",
)  # fmt: skip
PASSWORD = "correct horse battery"
_NAMES = {"url_hash": "0" * 64, "name": "mine", "product_id": "1", "position": "0"}


async def rights(asker: Asker) -> dict[str, dict[str, str]]:
    """By route and caller: `yes`, or the status of the refusal."""
    made = asker.opened
    await asker.make_keys()
    await made.ledger.jobs.save("mine", JobSpec(seeds=("https://a.example/",)))
    await made.accounts.add("anna", ApiRole.ADMIN, PASSWORD)
    bound = await add_key(made.keys, "bound", ApiRole.ADMIN, jobs=("mine",), expires_at=None)
    now, clock = made.ledger.clock.now(), made.ledger.clock
    over = await made.accounts.log_in("anna", PASSWORD, "")
    assert over is not None
    # It would go on for ever; closed, it says that it is full to those who may listen.
    asker.api.state.live.close()
    found: dict[str, dict[str, str]] = {}
    routes = [each for each in asker.api.router.routes if isinstance(each, GuardedRoute)]
    told = [each for each in routes if each.path.startswith(("/api", "/health", "/metrics"))]
    for route in sorted(told, key=lambda each: each.path.endswith("/logout")):
        (method,) = route.methods or {"GET"}
        path = re.sub(r"\{(\w+)\}", lambda m: _NAMES.get(m[1], "nobody"), route.path)
        row = found[f"{method} {route.path}"] = {}
        # Parts of the stream have names; without one it is for everybody.
        is_open = declared(route)[0] is ApiRole.ANONYMOUS
        query = "?job=mine" if "job" in route._parameters and not is_open else ""
        keys = {"anonymous": None, "user": asker.keys[ApiRole.USER]}
        keys |= {"admin": asker.keys[ApiRole.ADMIN], "key for one job": bound}
        for caller, key in keys.items():
            asked = path + query if key == bound else path
            row[caller] = _word((await ask(asker.api, asked, method, key)).status)
        cookie = {"cookie": f"{COOKIE}={over.token}"}
        theirs = {**cookie, "sec-fetch-site": "cross-site"}
        row["session, other site"] = _word(
            (await ask(asker.api, path, method, headers=theirs)).status
        )
        clock.now = lambda: now + 90_000  # type: ignore[method-assign]
        try:
            ours = {**cookie, "sec-fetch-site": "same-origin"}
            row["session over"] = _word((await ask(asker.api, path, method, headers=ours)).status)
        finally:
            del clock.now
    return found


def _word(status: int) -> str:
    return str(status) if status in (401, 403) else "yes"


def table(found: dict[str, dict[str, str]]) -> str:
    lines = [f"| route | {' | '.join(CALLERS)} |", f"|---|{'---|' * len(CALLERS)}"]
    for route, row in sorted(found.items(), key=lambda item: item[0].partition(" ")[::-1]):
        lines.append(f"| `{route}` | {' | '.join(row[caller] for caller in CALLERS)} |")
    return "\n".join(lines) + "\n"


def written() -> str:
    """The table as the reference has it."""
    return REFERENCE.read_text().partition(BEGIN)[2].partition(END)[0]


async def real() -> dict[str, dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data=folder, api=MUCH)
        async with opened(Path(folder), settings) as made:
            return await rights(Asker(made))


def main() -> None:
    text = REFERENCE.read_text()
    head, _, rest = text.partition(BEGIN)
    new = table(asyncio.run(real()))
    REFERENCE.write_text(head + BEGIN + new + END + rest.partition(END)[2])


if __name__ == "__main__":
    main()
