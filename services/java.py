"""How is a small Java server started? Quickly, and with little memory."""

from __future__ import annotations

from services.obtain import program


def java(megabytes: int = 256) -> list[str]:
    # One collector thread and the first compiler only: these servers start often and do little.
    quick = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
    return [program("java", "default-jre-headless"), f"-Xmx{megabytes}m", *quick]
