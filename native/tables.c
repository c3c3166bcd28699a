/* Where do the parts of a table go, and what do they close? (HTML, 13.2.6.4.9 to 15) */

/* Where a part of a table goes: what it closes, and what it takes for granted. */
static int on_table_part(Scan *s, const Name *name)
{
    int id = name->id;
    for (int n = s->depth - 1;; n--) {
        if (n < 0)
            return FINE; /* not in a table: nothing */
        int around = s->open[n].id;
        if (around == TD || around == TH || around == CAPTION) {
            pop_to(s, n);
            forget_to_marker(s);
            break;
        }
        if (is_table_context(around)) {
            if (n != s->depth - 1)
                return UNSURE;
            break;
        }
    }
    for (;;) {
        switch (top(s)->id) {
        case TABLE:
            if (id == COL)
                CHECK(push_implied(s, COLGROUP, SPECIAL | TABLED));
            else if (id == TR || id == TD || id == TH)
                CHECK(push_implied(s, TBODY, SPECIAL | TABLED | LAYOUT));
            else {
                CHECK(push_named(s, name));
                return id == CAPTION ? add_marker(s) : FINE;
            }
            break;
        case COLGROUP:
            if (id == COL)
                return push_void(s, name);
            pop(s);
            break;
        case TBODY: case THEAD: case TFOOT:
            if (id == TR)
                return push_named(s, name);
            if (id == TD || id == TH)
                CHECK(push_implied(s, TR, SPECIAL | TABLED | LAYOUT));
            else
                pop(s);
            break;
        case TR:
            if (id == TD || id == TH) {
                CHECK(push_named(s, name));
                return add_marker(s);
            }
            pop(s);
            break;
        default:
            return UNSURE;
        }
    }
}

static int on_table_end(Scan *s, const Name *name)
{
    int id = name->id, nth = s->depth - 1, cell = -1;
    if (top(s)->id == COLGROUP && id != COLGROUP)
        pop(s);
    for (nth = s->depth - 1; nth >= 0 && s->open[nth].id != id; nth--) {
        int open = s->open[nth].id;
        if (open == TABLE)
            nth = 0; /* what it would close lies outside */
        if (cell < 0 && (open == TD || open == TH || open == CAPTION))
            cell = nth;
    }
    if (nth < 0)
        return FINE;
    if (id == TD || id == TH || id == CAPTION)
        cell = nth;
    if (cell >= 0) {
        pop_to(s, cell);
        forget_to_marker(s);
    } else if (!in_table(s))
        return UNSURE;
    return pop_to(s, nth);
}
