"""How does C know the rules that Python has? A header of constants, made of `page/rules.py`."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from zlib import crc32

RULES = Path(__file__).parents[1] / "src/tenax/page/rules.py"
CALLS = RULES.with_name("native.py")


def header(path: Path = RULES) -> str:
    """Numbers and texts as they are, lists as lists of C, attributes as an enumeration besides."""
    rules = {name: rule for name, rule in runpy.run_path(str(path)).items() if name.isupper()}
    lines = ["/* Made of page/rules.py: change it there. */"]
    for name, rule in rules.items():
        if isinstance(rule, int):
            lines.append(f"#define {name} {rule}{'u' if rule >= 2**31 else ''}")
        elif isinstance(rule, str):
            assert re.fullmatch(r"[a-z/+]+", rule), f"{rule!r}, {name}, is no plain text"
            lines.append(f'#define {name} "{rule}"')
        elif isinstance(rule[0], str):
            lines += _texts(name, rule)
        else:
            first, second = zip(*rule, strict=True)
            lines += [*_texts(f"{name}_TAGS", first), *_texts(f"{name}_ATTRIBUTES", second)]
    ids = ", ".join(f"ATTR_{re.sub('[^a-z]', '_', name).upper()}" for name in rules["ATTRIBUTES"])
    lines.append(f"enum {{ {ids} }};")
    lines.append(f"#define RULES_SUM {fingerprint(rules)}u")
    lines.append(f"#define CALLS_SUM {crc32(CALLS.read_bytes())}u")
    return "\n".join(lines) + "\n"


def fingerprint(rules: dict[str, object]) -> int:
    """The same number for the same rules; `native.py` computes it as well."""
    return crc32(repr(sorted(rules.items())).encode())


def _texts(name: str, texts: tuple[str, ...]) -> list[str]:
    for text in texts:
        assert re.fullmatch(r"[A-Za-z0-9:-]{1,15}", text), f"{text!r} in {name} is no plain name"
    listed = ", ".join(f'"{text}"' for text in texts)
    return [
        f"#define {name}_COUNT {len(texts)}",
        f"static const char *const {name}[{name}_COUNT] = {{{listed}}};",
    ]
