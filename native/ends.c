/* What does an end tag close? */

static int on_ordinary_end(Scan *s, int id, Piece spelled)
{
    uint32_t sum = id == UNKNOWN ? sum_of(spelled) : 0;
    for (int n = s->depth - 1; n >= 0; n--) {
        if (is_named(&s->open[n], id, spelled, sum)) {
            pop_implied(s, id == UNKNOWN ? -1 : id);
            return pop_to(s, n);
        }
        if (s->open[n].flags & SPECIAL)
            return FINE;
    }
    return FINE;
}

static int on_formatting_end(Scan *s, int id, Piece spelled)
{
    int is_done;
    CHECK(adopt(s, id, &is_done));
    return is_done ? FINE : on_ordinary_end(s, id, spelled);
}

static int on_form_end(Scan *s)
{
    int nth = s->form ? open_with(s, s->form) : -1;
    s->form = 0;
    if (nth < 0)
        return FINE;
    for (int n = s->depth - 1; n > nth; n--)
        if (s->open[n].flags & SCOPE)
            return FINE;
    pop_implied(s, -1);
    if (nth == s->depth - 1)
        pop(s);
    else if (s->open[nth].record >= 0)
        return UNSURE; /* what is open in it stays part of it */
    else
        take_off(s, nth);
    return FINE;
}

static int on_heading_end(Scan *s)
{
    for (int n = s->depth - 1; n >= 0 && !(s->open[n].flags & SCOPE); n--)
        if (is_heading(s->open[n].id))
            return pop_to(s, n);
    return FINE;
}

static int on_end_in_body(Scan *s, const Name *name, Piece spelled)
{
    int id = name == NULL ? UNKNOWN : name->id;
    int flags = name == NULL ? 0 : name->flags, nth;
    if (s->selects && id != OPTION && id != OPTGROUP && id != SELECT)
        return UNSURE;
    if (flags & TABLED)
        return on_table_end(s, name);
    if (top(s)->id == COLGROUP && id != TEMPLATE)
        pop(s);
    if (in_table(s) && (id == P || id == BR))
        return UNSURE; /* thrown out of the table */
    if (id == P) {
        nth = in_scope(s, P, BUTTON, BUTTON);
        if (nth < 0) {
            top(s)->nodes++; /* an empty paragraph */
            s->in_text = 0;
            return FINE;
        }
        return pop_to(s, nth);
    }
    if (flags & FORMATTING)
        return on_formatting_end(s, id, spelled);
    if (flags & BLOCK || id == BUTTON || id == SELECT) {
        nth = in_scope(s, id, -1, -1);
        return nth < 0 ? FINE : pop_to(s, nth);
    }
    if (id == LI || id == DD || id == DT) {
        nth = id == LI ? in_scope(s, LI, OL, UL) : in_scope(s, id, -1, -1);
        return nth < 0 ? FINE : pop_to(s, nth);
    }
    if (is_heading(id))
        return on_heading_end(s);
    switch (id) {
    case APPLET: case MARQUEE: case OBJECT:
        nth = in_scope(s, id, -1, -1);
        if (nth < 0)
            return FINE;
        pop_to(s, nth);
        forget_to_marker(s);
        return FINE;
    case FORM:
        return on_form_end(s);
    case BR: /* means a start tag */
        memset(s->has, 0, sizeof s->has);
        return on_inline(s, name);
    case BEYOND:
        return UNSURE;
    case TEMPLATE:
        return FINE; /* none is open */
    default:
        return on_ordinary_end(s, id, spelled);
    }
}

/* 1 where it opens the body first. */
static int on_end_in_head(Scan *s, int id)
{
    if (s->in_head_noscript) {
        s->in_head_noscript = id != NOSCRIPT && id != BR;
        return id == BR;
    }
    if (id == HEAD && !s->head_over) {
        s->seen_html = s->seen_head = s->head_over = 1;
        s->in_head = 0;
    }
    return id == BODY || id == HTML || id == BR;
}

static int on_end(Scan *s, const Name *name, Piece spelled)
{
    int id = name == NULL ? UNKNOWN : name->id;
    s->drop_newline = 0;
    s->seen_doctype = 1; /* or it comes too late */
    if (!s->in_body) {
        if (!on_end_in_head(s, id))
            return FINE;
        CHECK(open_body_unasked(s));
    }
    if (top(s)->foreign) {
        int is_top = top(s)->id == id;
        if (in_integration_point(s) && (!is_top || id == UNKNOWN))
            return UNSURE;
        if (closes_in_drawing(s, id, spelled))
            return FINE;
        if (id == P || id == BR)
            leave_drawing(s);
    }
    if (id == BODY || id == HTML) {
        if (s->selects)
            return UNSURE;
        if (top(s)->id == COLGROUP)
            pop(s);
        s->body_over = !is_open(s, TABLE) && !is_open(s, OBJECT) && !is_open(s, APPLET) &&
                       !is_open(s, MARQUEE);
        return FINE;
    }
    s->body_over = 0;
    return on_end_in_body(s, name, spelled);
}
