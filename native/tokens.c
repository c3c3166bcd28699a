/* What are the tags, texts and comments of a page? (HTML, 13.2.5) */

static int on_tag(Scan *s, int is_end)
{
    const Name *name;
    Piece spelled;
    int closes_itself;
    CHECK(tag(s, is_end, &name, &spelled, &closes_itself));
    if (is_end)
        return on_end(s, name, spelled);
    return on_start(s, name, spelled, closes_itself, spelled.at + spelled.size);
}

static int on_doctype(Scan *s, const unsigned char *close)
{
    static const char today[] = "html";
    const unsigned char *p = s->p + 9, *end = close;
    if (s->seen_doctype || s->seen_html || s->in_body || s->seen_head) {
        s->p = close + 1;
        return FINE; /* too late */
    }
    s->seen_doctype = 1;
    if (memchr(p, '"', (size_t)(end - p)) == NULL && memchr(p, '\'', (size_t)(end - p)) == NULL) {
        while (p < end && is_space(*p))
            p++;
        while (end > p && is_space(end[-1]))
            end--;
        s->is_modern = end - p == 4;
        for (int n = 0; s->is_modern && n < 4; n++)
            s->is_modern = (p[n] | 32) == today[n];
    }
    s->p = close + 1;
    return FINE;
}

/* <!…> and <?…>. */
static int on_declaration(Scan *s)
{
    const unsigned char *p = s->p, *close = p;
    CHECK(comment_end(s, &close));
    int is_comment = s->end - p >= 4 && p[1] == '!' && p[2] == '-' && p[3] == '-';
    if (!is_comment && top(s)->foreign)
        return UNSURE;
    static const char doctype[] = "doctype";
    int n = 0;
    while (p[1] == '!' && n < 7 && p + n + 2 < close && lower(p[2 + n]) == (unsigned char)doctype[n])
        n++;
    if (n == 7)
        return is_space(p[9]) ? on_doctype(s, close - 1) : UNSURE;
    s->p = close;
    return on_comment(s);
}

static int scan_all(Scan *s)
{
    while (s->p < s->end) {
        const unsigned char *p = s->p, *next;
        if (*p != '<') {
            next = memchr(p, '<', (size_t)(s->end - p));
            s->p = next ? next : s->end;
            CHECK(on_text(s, p, s->p));
            continue;
        }
        unsigned char after = s->end - p > 1 ? p[1] : 0;
        if (is_letter(after))
            CHECK(on_tag(s, 0));
        else if (after == '/' && s->end - p > 2 && is_letter(p[2]))
            CHECK(on_tag(s, 1));
        else if (after == '!' || after == '?')
            CHECK(on_declaration(s));
        else if (after == '/' || after == 0)
            return UNSURE;
        else { /* a mere sign */
            next = memchr(p + 1, '<', (size_t)(s->end - p - 1));
            s->p = next ? next : s->end;
            CHECK(on_text(s, p, s->p));
        }
    }
    if (!s->in_body)
        CHECK(open_body_unasked(s));
    while (s->depth > 1)
        pop(s);
    return FINE;
}
