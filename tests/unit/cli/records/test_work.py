"""What is told of records in a list?"""

from __future__ import annotations

from tenax.cli.records.work import brief


def test_a_long_field_hides_no_other() -> None:
    quote = {"text": "It is as long as quotes are. " * 9, "author": "Ada", "likes": "3"}
    told = brief(quote, 80)
    assert len(told) <= 80
    assert told.startswith("text=It is as long as quotes are. It ")
    assert told.endswith("…, author=Ada, likes=3")
    assert brief({"a": "x", "b": "y"}, 80) == "a=x, b=y"
    assert brief({"a": "x" * 99, "b": "y" * 99}, 40) == f"a={'x' * 15}…, b={'y' * 15}…"
    assert brief({f"n{n}": "text" for n in range(40)}, 80).count("…") == 40
    assert brief({}, 80) == ""
