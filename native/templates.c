/* Where does a template end? What it holds is no part of the page. (HTML, 13.2.6.4.22) */

static int comment_end(Scan *s, const unsigned char **at);

/* A drawing in a template, from behind its start tag: it may hold what is drawn, and nothing that
 * would end it. */
static int skip_drawing(Scan *s)
{
    int depth = 1;
    while (depth) {
        const unsigned char *p = memchr(s->p, '<', (size_t)(s->end - s->p));
        if (p == NULL || s->end - p < 3)
            return ENDED;
        int is_end = p[1] == '/', closes_itself;
        if (p[1] == '!' && p[2] == '-') {
            CHECK(comment_end(s, &p));
            s->p = p;
            continue;
        }
        if (!is_letter(p[1 + is_end]))
            return UNSURE;
        s->p = p;
        Piece spelled;
        const Name *name;
        CHECK(tag(s, is_end, &name, &spelled, &closes_itself));
        if (name != NULL && name->id != SVG && name->id != IMAGE)
            return UNSURE;
        if (name != NULL && name->id == SVG)
            depth += is_end ? -1 : !closes_itself;
        else if (name == NULL && is_frame(spelled))
            return UNSURE;
    }
    return FINE;
}

/* Elements in a template that formatting does not reach beyond. One of them that is left open lets
 * formatting out of the template, by the letter of the standard. */
typedef struct {
    int open[MOST_HELD];
    int count, has_formatting;
} Held;

static int hold(Held *held, const Name *name, int is_end)
{
    int id = name->id;
    if (name->flags & FORMATTING)
        held->has_formatting = 1;
    if (!(name->flags & SCOPE) || id == TABLE || id == TEMPLATE || id == HTML)
        return FINE;
    if (!is_end) {
        if (held->count == MOST_HELD)
            return UNSURE;
        held->open[held->count++] = id;
        return FINE;
    }
    if (held->count && held->open[held->count - 1] == id) {
        held->count--;
        return FINE;
    }
    return UNSURE;
}

/* From behind its start tag to behind its end tag. */
static int skip_template(Scan *s)
{
    int depth = 1, has_select = 0;
    Held held = {{0}, 0, 0};
    s->in_text = 0;
    if (s->has[ATTR_SHADOWROOTMODE])
        return UNSURE; /* is shown */
    while (depth) {
        const unsigned char *p = memchr(s->p, '<', (size_t)(s->end - s->p));
        if (p == NULL || s->end - p < 3)
            return ENDED;
        int is_end = p[1] == '/', closes_itself;
        if (p[1] == '!') {
            CHECK(comment_end(s, &p));
            s->p = p;
            continue;
        }
        if (!is_letter(p[1 + is_end])) {
            if (is_end || p[1] == '?')
                return UNSURE;
            s->p = p + 1;
            continue;
        }
        s->p = p;
        Piece spelled, content;
        const Name *name;
        CHECK(tag(s, is_end, &name, &spelled, &closes_itself));
        if (name != NULL)
            CHECK(hold(&held, name, is_end));
        switch (name == NULL ? UNKNOWN : name->id) {
        case TEMPLATE:
            if (s->has[ATTR_SHADOWROOTMODE])
                return UNSURE;
            depth += is_end ? -1 : 1;
            if (is_end && held.count && held.has_formatting)
                return UNSURE;
            break;
        case IFRAME: case NOEMBED: case NOFRAMES: case STYLE: case TEXTAREA: case TITLE: case XMP:
            if (is_end)
                break;
            if (has_select)
                return UNSURE;
            CHECK(raw_text(s, name->name, &content));
            break;
        case SCRIPT:
            if (!is_end)
                CHECK(script_text(s, &content));
            break;
        case SELECT:
            has_select = 1;
            break;
        case SVG:
            if (!is_end && !closes_itself)
                CHECK(skip_drawing(s));
            break;
        case BEYOND: case COL: case HEAD: case BODY: case HTML:
            return UNSURE; /* other rules hold behind it */
        }
    }
    return FINE;
}
