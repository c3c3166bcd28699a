/* Where does text go? (HTML, 13.2.6.4.7) */

static int begin_text_node(Scan *s)
{
    if (s->in_text)
        return FINE;
    s->in_text = 1;
    top(s)->nodes++;
    if (s->unseen)
        return FINE;
    if (s->node_count == s->node_room) {
        s->node_room *= 2;
        uint32_t *nodes = PyMem_Realloc(s->nodes, (size_t)s->node_room * sizeof *nodes);
        if (nodes == NULL) {
            PyErr_NoMemory();
            return FAILED;
        }
        s->nodes = nodes;
    }
    s->nodes[s->node_count++] = (uint32_t)s->size;
    return FINE;
}

/* Text of the page, without references. */
static int write_text(Scan *s, const unsigned char *at, Py_ssize_t size)
{
    if (s->drop_newline && size) {
        s->drop_newline = 0;
        if (*at == '\n') {
            at++;
            size--;
        }
    }
    if (!size)
        return FINE;
    if ((*at & 0xC0) == 0x80)
        return UNSURE; /* a torn character, which would be whole again behind the one before it */
    CHECK(begin_text_node(s));
    if (s->unseen)
        return FINE;
    if (s->size + size > s->most)
        return UNSURE;
    memcpy(s->text + s->size, at, (size_t)size);
    s->size += size;
    return FINE;
}

static int write_resolved(Scan *s, const unsigned char *at, const unsigned char *end)
{
    while (at < end) {
        const unsigned char *next = memchr(at, '&', (size_t)(end - at));
        CHECK(write_text(s, at, (next ? next : end) - at));
        if (!next)
            return FINE;
        unsigned char meaning[8];
        int size;
        at = next;
        CHECK(reference(s, &at, end, 0, meaning, &size));
        CHECK(write_text(s, meaning, size));
    }
    return FINE;
}

/* The first byte of a text, or of what a reference there stands for. */
static int first_meant(
    Scan *s, const unsigned char *at, const unsigned char *end, unsigned char *first)
{
    unsigned char meaning[8];
    int size;
    *first = *at;
    if (*at == '&') {
        CHECK(reference(s, &at, end, 0, meaning, &size));
        *first = meaning[0];
    }
    return FINE;
}

static int on_text(Scan *s, const unsigned char *at, const unsigned char *end)
{
    if (!s->in_body) {
        /* White space before the body is no part of it. */
        while (at < end && is_space(*at))
            at++;
        if (at == end)
            return FINE;
        unsigned char first;
        CHECK(first_meant(s, at, end, &first));
        if (is_space(first) && *at == '&')
            return UNSURE;
        CHECK(open_body_unasked(s));
    }
    if (in_table(s)) /* which throws it out */
        return is_blank(at, end) ? write_resolved(s, at, end) : UNSURE;
    if (s->body_over && !is_blank(at, end))
        s->body_over = 0;
    if (s->drop_newline) {
        unsigned char first;
        CHECK(first_meant(s, at, end, &first));
        if (first == '\n' && *at == '&')
            return UNSURE;
        s->drop_newline = 0;
        at += *at == '\n';
    }
    if (at < end && !top(s)->foreign)
        CHECK(open_formatting(s));
    return write_resolved(s, at, end);
}

static int on_comment(Scan *s)
{
    s->drop_newline = 0;
    /* Behind the body it is the page's, unless a drawing is open. */
    if (s->in_body && (!s->body_over || top(s)->foreign)) {
        top(s)->nodes++;
        s->in_text = 0;
    } else if (!s->in_body && !s->in_head && s->seen_html && ++s->above_body > MOST_ABOVE_BODY)
        return UNSURE;
    return FINE;
}
