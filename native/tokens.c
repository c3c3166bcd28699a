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
    if (s->in_body && !s->drop_newline) {
        s->p = close + 1;
        return FINE; /* far too late */
    }
    if (s->seen_doctype || s->seen_html || s->in_body || s->seen_head)
        return UNSURE; /* it comes too late, and what follows it is looked at by the tree */
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
    while (n < 7 && p + n + 2 < close && lower(p[2 + n]) == (unsigned char)doctype[n])
        n++;
    if (n == 7 && p[1] == '!') {
        if (close - p < 11 || !is_space(p[9]) || close[-1] != '>')
            return UNSURE;
        return on_doctype(s, close - 1);
    }
    s->p = close;
    return on_comment(s);
}

/* A text, or what looks like markup and is text. */
static int on_characters(Scan *s, const unsigned char *at)
{
    const unsigned char *next = memchr(s->p, '<', (size_t)(s->end - s->p));
    s->p = next ? next : s->end;
    return on_text(s, at, s->p);
}

static int on_token(Scan *s)
{
    const unsigned char *p = s->p;
    if (*p != '<')
        return on_characters(s, p);
    unsigned char after = s->end - p > 1 ? p[1] : 0;
    unsigned char third = s->end - p > 2 ? p[2] : 0;
    if (is_letter(after))
        return on_tag(s, 0);
    if (after == '/' && is_letter(third))
        return on_tag(s, 1);
    if (after == '/' && third == '>') {
        s->p += 3; /* nothing at all */
        return FINE;
    }
    if (after == '!' || after == '?' || (after == '/' && third))
        return on_declaration(s);
    s->p++; /* a mere sign, and a mistake that the parser notes down */
    s->tags++;
    return on_characters(s, p);
}

static int scan_all(Scan *s)
{
    while (s->p < s->end) {
        int answer = on_token(s);
        if (answer == ENDED)
            break;
        if (answer != FINE)
            return answer;
    }
    if (!s->in_body)
        CHECK(open_body_unasked(s));
    while (s->depth > 1)
        pop(s);
    return FINE;
}
