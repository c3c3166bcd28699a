/* What is part of a drawing, and where does HTML begin again? (HTML, 13.2.6.5) */

/* Whether HTML begins again in a part of the drawing that is open. */
static int in_integration_point(Scan *s)
{
    for (int n = s->depth - 1; s->open[n].foreign; n--)
        if (s->open[n].id == TITLE || s->open[n].id == DESC)
            return 1;
    return 0;
}

static void leave_drawing(Scan *s)
{
    while (top(s)->foreign)
        pop(s);
}

/* A start tag inside a drawing; of HTML it may be the end of it. */
static int on_drawing(Scan *s, const Name *name, Piece spelled, int closes_itself, int *is_taken)
{
    int id = name == NULL ? UNKNOWN : name->id, flags = 0;
    *is_taken = 1;
    if (in_integration_point(s))
        return UNSURE; /* HTML again */
    if (name != NULL) {
        if (name->flags & BREAKS) {
            leave_drawing(s);
            *is_taken = 0;
            return FINE;
        }
        if (!(name->flags & DRAWN) && id != SVG)
            return UNSURE;
        flags = id == STYLE ? UNSEEN : 0;
        s->titles += id == TITLE;
    } else if (is_frame(spelled))
        return UNSURE;
    CHECK(push(s, id, flags, spelled, 1));
    if (closes_itself)
        pop(s);
    return FINE;
}

static int is_named(const Open *open, int id, Piece spelled, uint32_t sum)
{
    if (open->id != id)
        return 0;
    return id != UNKNOWN || (open->sum == sum && same_letters(open->name, spelled));
}

/* Whether it closes a part of a drawing; all others are HTML's. */
static int closes_in_drawing(Scan *s, int id, Piece spelled)
{
    uint32_t sum = id == UNKNOWN ? sum_of(spelled) : 0;
    for (int n = s->depth - 1; s->open[n].foreign; n--)
        if (is_named(&s->open[n], id, spelled, sum)) {
            pop_to(s, n);
            return 1;
        }
    return 0;
}
