"""Would a mistake in the C be found? Each of these is one; `make fuzz` is asked about all of them.

    python -m tests.fuzz.mutants [--seconds 60] [--only PART-OF-A-NAME]

Prints for each after how many seconds a page was read otherwise, or that none was.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.fuzz.build import NATIVE

ROOT = Path(__file__).parents[2]


class Mutant(NamedTuple):
    """A file of native/, what it says, and what it is made to say."""

    file: str
    sound: str
    broken: str


MUTANTS = (
    Mutant("bounds.c", "if (b->times[n] < ARK)", "if (b->times[n] <= ARK)"),
    Mutant("bounds.c", "b->count += REPAIR * b->heaviest;\n    } else", "(void)0;\n    } else"),
    Mutant("bounds.c", "if (state == IN_NAME)\n                state = AFTER_NAME;",
           "(void)0;"),
    Mutant("bounds.c", "b->anchors = b->aside_anchors;", "b->anchors = 0;"),
    Mutant("bounds.c", "tag.closes_itself = state != IN_VALUE &&", "tag.closes_itself ="),
    Mutant("characters.c", "code == 0x3000", "code == 0x3001"),
    Mutant("characters.c", "was_white = is_white;", "was_white |= is_white;"),
    Mutant("drawings.c", "flags = id == STYLE ? UNSEEN : 0;", "flags = 0;"),
    Mutant("ends.c", "id == LI ? in_scope(s, LI, OL, UL)", "id == LI ? in_scope(s, LI, -1, -1)"),
    Mutant("ends.c", "s->body_over = !is_open(s, TABLE) &&", "s->body_over ="),
    Mutant("for_sale.c", "#define LONGEST_KEY 40", "#define LONGEST_KEY 39"),
    Mutant("for_sale.c", "#define TAG_LOOKED_BACK 300", "#define TAG_LOOKED_BACK 299"),
    Mutant("for_sale.c", "p > body && p[-1] == '\"' && q < end", "p > body && q < end"),
    Mutant("for_sale.c", 'is_named_here(p, end, "<style") ? "</style"', 'NULL ? "</style"'),
    Mutant("for_sale.c", "if (is_button_tag(tag + 1, end))", "if (is_button_tag(tag + 2, end))"),
    Mutant("for_sale.c", "p = close == NULL ? until : close;",
           "p = close == NULL ? tag : until;"),
    Mutant("formatting.c", "if (++step > 3 && listed >= 0) {", "if (++step > 4 && listed >= 0) {"),
    Mutant("formatting.c", "*bookmark = listed + 1;", "*bookmark = listed;"),
    Mutant("formatting.c", "round < 8", "round < 9"),
    Mutant("hashes.c", "count += c == '\\n';", "count += c == '\\t';"),
    Mutant("links.c", "start = n < 3 ? n - 2 : n - 3;", "start = n - 2;"),
    Mutant("links.c", "if (size > (first == 'h' ?", "if (size >= (first == 'h' ?"),
    Mutant("links.c", "is_kept = truth == 0;", "is_kept = 1;"),
    Mutant("links.c", "c == ' ' || c == '\\t' ||", "c == ' ' ||"),
    Mutant("main_text.c", "framed > rest", "framed >= rest + 40"),
    Mutant("main_text.c", "if (nodes > LAYOUT_CHILDREN)", "if (nodes >= LAYOUT_CHILDREN)"),
    Mutant("main_text.c", "if (again == dropped->count)", "if (1)"),
    Mutant("needles.c", "return first == NULL ? 0 : first[LOWER[p[1]]];",
           "return first == NULL ? 0 : first[p[1]];"),
    Mutant("references.c", "ended || !in_attribute || p == end || *p != '='", "1"),
    Mutant("references.c", "0x20AC, 0x81,", "0x20AC, 0x82,"),
    Mutant("starts.c", "id != ADDRESS && id != DIV && id != P)", "id != DIV && id != P)"),
    Mutant("starts.c", "if (s->selects && top(s)->id == OPTGROUP)", "if (top(s)->id == OPTGROUP)"),
    Mutant("tables.c", "CHECK(push_implied(s, TBODY, SPECIAL | TABLED | LAYOUT));", "return FINE;"),
    Mutant("tables.c", "if (top(s)->id == COLGROUP && id != COLGROUP)",
           "if (top(s)->id == COLGROUP && id != COL && id != COLGROUP)"),
    Mutant("tables.c", "nth = 0; /* what it would close lies outside */", "(void)0;"),
    Mutant("tags.c", "const unsigned char *odd = find(p, close ? close : s->end, \"--!>\", 4);",
           "const unsigned char *odd = NULL;"),
    Mutant("tags.c", "in_script = 0;\n        }\n    }", "(void)0;\n        }\n    }"),
    Mutant("tags.c", "while (p < end && !(ENDING[*p] & ENDS_VALUE))",
           "while (!(ENDING[*p] & ENDS_VALUE))"),
    Mutant("templates.c", "depth += is_end ? -1 : 1;\n            if",
           "depth += is_end ? -1 : 0;\n            if"),
    Mutant("texts.c", "top(s)->nodes++;\n    if (s->unseen)", "if (s->unseen)"),
    Mutant("tree.c", "s->open[n].flags & SCOPE || s->open[n].id == boundary",
           "s->open[n].id == boundary"),
    Mutant("walk.c", "*zone |= w->said.hidden;", "(void)0;"),
    Mutant("walk.c", "zones[n] |= zones[parents[n]] & handed_down;",
           "zones[n] |= zones[parents[n]];"),
    Mutant("walk.c", "return PyErr_Occurred() ? -1 : 0;\n    return w->at =",
           "return PyErr_Occurred() ? -1 : w->at;\n    return w->at ="),
    Mutant("walk.c", ": Py_UNICODE_ISDECIMAL(c))", ": 0)"),
    Mutant("walk.c", "at[k] < end && !(zone[of[k]] & away)", "at[k] < end"),
    Mutant("walk.c", "(count == 1 && classes != Py_None)", "count == 1"),
    Mutant("zones.c", "zone & said->price ? zone & ~said->option : zone", "zone"),
    Mutant("zones.c", "if (index >= said->first_of_part)", "if (1)"),
    Mutant("zones.c", "else if (out[-1] != ' ')", "else"),
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    found = 0
    chosen = [each for each in MUTANTS if args.only in f"{each.file} {each.sound}"]
    for mutant in chosen:
        started = time.monotonic()
        is_found = asked(mutant, args.seconds)
        found += is_found
        told = f"after {time.monotonic() - started:.0f} s" if is_found else "NOT FOUND"
        print(f"{mutant.file}: {' '.join(mutant.broken.split())[:70]!r}: {told}", flush=True)
    print(f"{found} of {len(chosen)} found")
    return 0 if found == len(chosen) else 1


def asked(mutant: Mutant, seconds: float) -> bool:
    """Whether a page is read otherwise, or makes it misstep."""
    with TemporaryDirectory() as folder:
        sources = Path(folder, "native")
        sources.mkdir()
        for path in NATIVE.glob("*.[ch]"):
            (sources / path.name).write_text(path.read_text())
        changed = sources / mutant.file
        changed.write_text(changed.read_text().replace(mutant.sound, mutant.broken))
        command = [sys.executable, "-m", "tests.fuzz", f"--seconds={seconds}"]
        ran = subprocess.run([*command, f"--sources={sources}"], cwd=ROOT, capture_output=True)
    if ran.returncode and b"error:" in ran.stderr and b"Sanitizer" not in ran.stderr:
        raise RuntimeError(ran.stderr.decode())
    return ran.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
