/* What are the tags, texts and comments of a page? (HTML, 13.2.5) */

/* The attributes of a tag, from behind its name to behind its end. */
static int attributes(Scan *s, int *closes_itself)
{
    const unsigned char *p = s->p, *end = s->end;
    memset(s->has, 0, sizeof s->has);
    *closes_itself = 0;
    for (;;) {
        while (p < end && (is_space(*p) || *p == '/'))
            p++;
        if (p == end)
            return UNSURE;
        if (*p == '>') {
            *closes_itself = p[-1] == '/';
            s->p = p + 1;
            return FINE;
        }
        if (*p == '=')
            return UNSURE;
        const unsigned char *name = p;
        while (p < end && !is_space(*p) && *p != '/' && *p != '>' && *p != '=')
            p++;
        int which = which_attribute(name, p - name);
        Piece value = {p, 0};
        while (p < end && is_space(*p))
            p++;
        if (p < end && *p == '=') {
            p++;
            while (p < end && is_space(*p))
                p++;
            if (p == end)
                return UNSURE;
            if (*p == '"' || *p == '\'') {
                const unsigned char *close = memchr(p + 1, *p, (size_t)(end - p - 1));
                if (close == NULL)
                    return UNSURE;
                value.at = p + 1;
                value.size = close - value.at;
                p = close + 1;
            } else {
                value.at = p;
                while (p < end && !is_space(*p) && *p != '>')
                    p++;
                value.size = p - value.at;
                if (!value.size)
                    return UNSURE;
                if (p < end && *p == '>' && p[-1] == '/')
                    *closes_itself = 2; /* is part of the value, and closes nothing */
            }
        }
        if (which >= 0 && !s->has[which]) {
            s->attribute[which] = value;
            s->has[which] = memchr(value.at, '&', (size_t)value.size) == NULL ? 1 : 2;
        }
        if (*closes_itself == 2) {
            *closes_itself = 0;
            s->p = p + 1;
            return FINE;
        }
    }
}

static int on_tag(Scan *s, int is_end)
{
    const unsigned char *name = s->p + 1 + is_end, *p = name;
    while (p < s->end && !is_space(*p) && *p != '/' && *p != '>')
        p++;
    if (p == s->end)
        return UNSURE;
    Piece spelled = {name, p - name};
    const Name *known = NULL;
    if (spelled.size <= LONGEST_NAME)
        known = named(key_of(name, spelled.size));
    if (known == NULL && !is_ascii(spelled))
        return UNSURE; /* torn characters are all the same to the tree */
    int closes_itself = 0;
    if (*p == '>') {
        s->p = p + 1;
        memset(s->has, 0, sizeof s->has);
    } else {
        s->p = p;
        CHECK(attributes(s, &closes_itself));
    }
    return is_end ? on_end(s, known, spelled) : on_start(s, known, spelled, closes_itself);
}

static const unsigned char *find(
    const unsigned char *at, const unsigned char *end, const char *what, size_t size)
{
    while (at < end && (size_t)(end - at) >= size) {
        const unsigned char *p = memchr(at, what[0], (size_t)(end - at) - size + 1);
        if (p == NULL || memcmp(p, what, size) == 0)
            return p;
        at = p + 1;
    }
    return NULL;
}

static int on_doctype(Scan *s, const unsigned char *close)
{
    static const char today[] = "html";
    const unsigned char *p = s->p + 9, *end = close;
    if (s->seen_doctype || s->seen_html || s->in_body || s->seen_head)
        return UNSURE;
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
    const unsigned char *p = s->p;
    if (s->end - p >= 4 && p[2] == '-' && p[3] == '-' && p[1] == '!') {
        const unsigned char *text = p + 4, *close = find(text, s->end, "-->", 3);
        if (close == NULL || text[0] == '>' || (text[0] == '-' && text[1] == '>'))
            return UNSURE; /* or it ends where it begins */
        if (find(text, close, "--!>", 4) != NULL)
            return UNSURE;
        s->p = close + 3;
        return on_comment(s);
    }
    const unsigned char *close = memchr(p, '>', (size_t)(s->end - p));
    if (close == NULL || top(s)->foreign)
        return UNSURE;
    if (p[1] == '!' && close - p >= 9) {
        static const char doctype[] = "doctype";
        int n = 0;
        while (n < 7 && (p[2 + n] | 32) == (unsigned char)doctype[n])
            n++;
        if (n == 7 && is_space(p[9]))
            return on_doctype(s, close);
    }
    if (p[1] == '!')
        return UNSURE;
    s->p = close + 1;
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
    if (s->in_head_noscript)
        return UNSURE;
    if (!s->in_body)
        CHECK(open_body_unasked(s));
    while (s->depth > 1)
        pop(s);
    return FINE;
}
