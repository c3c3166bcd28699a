/* What does an end tag close? */

static int on_table_end(Scan *s, const Name *name)
{
    int id = name->id;
    if (id == COL)
        return UNSURE;
    if (id == TD || id == TH || id == CAPTION) {
        for (int n = s->depth - 1; n >= 0; n--) {
            if (s->open[n].id == id) {
                pop_implied(s, -1);
                return pop_to(s, n, 1);
            }
            if (s->open[n].id == TABLE)
                return UNSURE;
        }
        return UNSURE;
    }
    int nth = -1;
    for (int n = s->depth - 1; n >= 0; n--) {
        if (s->open[n].id == id) {
            nth = n;
            break;
        }
        if (s->open[n].id == TABLE)
            return UNSURE;
    }
    if (nth < 0)
        return UNSURE;
    for (int n = s->depth - 1; n > nth; n--) {
        int open = s->open[n].id;
        if (open == TD || open == TH || open == CAPTION) {
            pop_implied(s, -1);
            CHECK(pop_to(s, n, 1));
            break;
        }
    }
    if (!in_table(s))
        return UNSURE;
    return pop_to(s, nth, 0);
}

static int on_formatting_end(Scan *s, int id)
{
    for (int n = s->depth - 1; n >= 0; n--) {
        if (s->open[n].id == id)
            return pop_to(s, n, 0);
        if (s->open[n].flags & SPECIAL) {
            /* Closed from within a block: it is opened there again. Nowhere open: ignored. */
            for (; n >= 0; n--)
                if (s->open[n].id == id)
                    return UNSURE;
            return FINE;
        }
    }
    return FINE;
}

static int is_named(const Open *open, int id, Piece spelled, uint32_t sum)
{
    if (open->id != id)
        return 0;
    return id != UNKNOWN || (open->sum == sum && same_letters(open->name, spelled));
}

static int on_ordinary_end(Scan *s, int id, Piece spelled)
{
    uint32_t sum = id == UNKNOWN ? sum_of(spelled) : 0;
    for (int n = s->depth - 1; n >= 0; n--) {
        if (is_named(&s->open[n], id, spelled, sum)) {
            pop_implied(s, id == UNKNOWN ? -1 : id);
            return pop_to(s, n, 0);
        }
        if (s->open[n].flags & SPECIAL)
            return FINE;
    }
    return FINE;
}

static int on_end_in_drawing(Scan *s, int id, Piece spelled)
{
    if (!is_named(top(s), id, spelled, id == UNKNOWN ? sum_of(spelled) : 0))
        return UNSURE;
    pop(s);
    return FINE;
}

static int on_end_in_head(Scan *s, int id)
{
    if (id == NOSCRIPT && s->in_head_noscript) {
        s->in_head_noscript = 0;
        return FINE;
    }
    if (id != HEAD || !s->in_head || s->in_head_noscript)
        return UNSURE;
    s->in_head = 0;
    s->head_over = 1;
    return FINE;
}

static int on_end_in_body(Scan *s, const Name *name, Piece spelled)
{
    int id = name == NULL ? UNKNOWN : name->id;
    int flags = name == NULL ? 0 : name->flags;
    if (s->selects && id != OPTION && id != OPTGROUP && id != SELECT)
        return UNSURE;
    if (flags & TABLED)
        return on_table_end(s, name);
    if (in_table(s))
        return UNSURE;
    if (id == P) {
        int nth = in_scope(s, P, BUTTON, BUTTON);
        if (nth < 0) {
            top(s)->nodes++; /* an empty paragraph */
            s->in_text = 0;
            return FINE;
        }
        pop_implied(s, P);
        return pop_to(s, nth, 0);
    }
    if (flags & FORMATTING)
        return on_formatting_end(s, id);
    if (flags & BLOCK || id == BUTTON || id == OBJECT || id == SELECT) {
        int nth = in_scope(s, id, -1, -1);
        if (nth < 0)
            return FINE;
        pop_implied(s, -1);
        return pop_to(s, nth, 0);
    }
    if (id == LI || id == DD || id == DT) {
        int nth = id == LI ? in_scope(s, LI, OL, UL) : in_scope(s, id, -1, -1);
        if (nth < 0)
            return FINE;
        pop_implied(s, id);
        return pop_to(s, nth, 0);
    }
    if (is_heading(id)) {
        pop_implied(s, -1);
        if (top(s)->id != id)
            return UNSURE;
        pop(s);
        return FINE;
    }
    switch (id) {
    case FORM:
        if (!s->has_form || in_scope(s, FORM, -1, -1) < 0)
            return UNSURE;
        pop_implied(s, -1);
        if (top(s)->id != FORM)
            return UNSURE;
        s->has_form = 0;
        pop(s);
        return FINE;
    case BR:
        return UNSURE; /* means a start tag */
    default:
        return on_ordinary_end(s, id, spelled);
    }
}

static int on_end(Scan *s, const Name *name, Piece spelled)
{
    int id = name == NULL ? UNKNOWN : name->id;
    s->drop_newline = 0;
    if (id == BEYOND)
        return UNSURE;
    if (!s->in_body)
        return on_end_in_head(s, id);
    if (id == BODY || id == HTML) {
        if (top(s)->foreign || s->selects || is_open(s, TABLE) || is_open(s, OBJECT))
            return UNSURE;
        s->body_over = 1;
        return FINE;
    }
    if (s->body_over)
        return UNSURE;
    if (top(s)->foreign)
        return on_end_in_drawing(s, id, spelled);
    return on_end_in_body(s, name, spelled);
}
