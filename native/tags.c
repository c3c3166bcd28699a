/* How are a tag, a comment and a script written, and where do they end? (HTML, 13.2.5) */

/* The next attribute of a tag: 1 when there is one, 0 at the tag's end, -1 at that of the page. */
static int next_attribute(
    const unsigned char **at, const unsigned char *end, Piece *name, Piece *value)
{
    const unsigned char *p = *at;
    while (p < end && (is_space(*p) || *p == '/'))
        p++;
    *at = p;
    if (p == end)
        return -1;
    if (*p == '>')
        return 0;
    name->at = p++; /* which may be = */
    while (p < end && !(ENDING[*p] & ENDS_ATTRIBUTE))
        p++;
    name->size = p - name->at;
    value->at = *at = p;
    value->size = 0;
    while (p < end && is_space(*p))
        p++;
    if (p == end || *p != '=')
        return 1;
    p++;
    while (p < end && is_space(*p))
        p++;
    if (p == end)
        return -1;
    if (*p == '"' || *p == '\'') {
        const unsigned char *close = memchr(p + 1, *p, (size_t)(end - p - 1));
        if (close == NULL)
            return -1;
        value->at = p + 1;
        value->size = close - value->at;
        *at = close + 1;
        return 1;
    }
    value->at = p;
    while (p < end && !(ENDING[*p] & ENDS_VALUE))
        p++;
    value->size = p - value->at;
    *at = p;
    return 1;
}

/* The attributes of a tag, from behind its name to behind its end. */
static int attributes(Scan *s, int *closes_itself)
{
    const unsigned char *p = s->p;
    Piece name, value = {NULL, 0};
    memset(s->has, 0, sizeof s->has);
    for (;;) {
        int more = next_attribute(&p, s->end, &name, &value);
        if (more < 0)
            return ENDED;
        if (!more)
            break;
        int which = which_attribute(name.at, name.size);
        if (which >= 0 && !s->has[which]) {
            s->attribute[which] = value;
            s->has[which] = memchr(value.at, '&', (size_t)value.size) == NULL ? 1 : 2;
        }
    }
    /* A stroke may be part of a value, and closes nothing then. */
    *closes_itself = p[-1] == '/' && !(value.size && value.at + value.size == p);
    s->p = p + 1;
    return FINE;
}

/* A tag, from its < to behind its end. `name` is NULL for one without rules. */
static int tag(Scan *s, int is_end, const Name **name, Piece *spelled, int *closes_itself)
{
    const unsigned char *start = s->p + 1 + is_end, *p = start;
    while (p < s->end && !(ENDING[*p] & ENDS_NAME))
        p++;
    s->tags++;
    if (p == s->end)
        return ENDED;
    spelled->at = start;
    spelled->size = p - start;
    *name = spelled->size <= LONGEST_NAME ? named(key_of(start, spelled->size)) : NULL;
    if (*name == NULL && !is_ascii(*spelled))
        return UNSURE; /* torn characters are all the same to the tree */
    *closes_itself = 0;
    if (*p == '>') {
        s->p = p + 1;
        memset(s->has, 0, sizeof s->has);
        return FINE;
    }
    s->p = p;
    return attributes(s, closes_itself);
}

/* HTML in a drawing. */
static int is_frame(Piece spelled)
{
    Piece frame = {(const unsigned char *)"foreignobject", 13};
    return same_letters(spelled, frame);
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

/* What begins with <! or <? at `*at`, which is then behind its end. */
static int comment_end(Scan *s, const unsigned char **at)
{
    const unsigned char *p = *at, *close;
    s->tags++;
    if (s->end - p < 4 || p[1] != '!' || p[2] != '-' || p[3] != '-') {
        close = memchr(p, '>', (size_t)(s->end - p));
        *at = close ? close + 1 : s->end;
        return FINE;
    }
    p += 4;
    if (p < s->end && *p == '>')
        close = p + 1;
    else if (s->end - p > 1 && p[0] == '-' && p[1] == '>')
        close = p + 2;
    else {
        close = find(p, s->end, "-->", 3);
        const unsigned char *odd = find(p, close ? close : s->end, "--!>", 4);
        close = odd ? odd + 4 : close ? close + 3 : s->end;
    }
    *at = close;
    return FINE;
}

static int is_tag_end(unsigned char c)
{
    return ENDING[c] & ENDS_NAME;
}

/* Whether these letters stand here, and behind them what ends the name of a tag. */
static int is_tag_here(const unsigned char *at, const unsigned char *end, const char *letters)
{
    size_t size = strlen(letters), n = 0;
    if ((size_t)(end - at) <= size)
        return 0;
    while (n < size && lower(at[n]) == (unsigned char)letters[n])
        n++;
    return n == size && is_tag_end(at[size]);
}

/* Behind an end tag that `close` is the end of the name of. */
static int end_raw(Scan *s, const unsigned char *close)
{
    while (close < s->end && is_space(*close))
        close++;
    if (close < s->end && *close != '>')
        return UNSURE; /* an end tag with something in it */
    s->p = close < s->end ? close + 1 : close;
    return FINE;
}

/* The text of an element that is never closed. */
static int to_the_end(Scan *s, Piece *content)
{
    content->size = s->end - content->at;
    s->p = s->end;
    return FINE;
}

/* The text up to the end tag of an element whose content is no markup, and behind that tag. */
static int raw_text(Scan *s, const char *name, Piece *content)
{
    const unsigned char *p = s->p;
    content->at = p;
    for (;; p++) {
        p = memchr(p, '<', (size_t)(s->end - p));
        if (p == NULL || s->end - p < 3)
            return to_the_end(s, content);
        if (p[1] == '/' && is_tag_here(p + 2, s->end, name)) {
            content->size = p - content->at;
            return end_raw(s, p + 2 + strlen(name));
        }
    }
}

/* The same for a script, which goes on behind the end tag of one in a comment. */
static int script_text(Scan *s, Piece *content)
{
    const unsigned char *p = s->p, *end = s->end;
    int in_comment = 0, in_script = 0;
    content->at = p;
    for (; p < end; p++) {
        if (!in_comment) {
            p = memchr(p, '<', (size_t)(end - p));
            if (p == NULL)
                break;
        }
        if (*p == '-' && end - p > 2 && p[1] == '-' && p[2] == '>')
            in_comment = in_script = 0;
        if (*p != '<')
            continue;
        if (end - p > 3 && !in_comment && memcmp(p, "<!--", 4) == 0) {
            in_comment = 1;
            p++; /* its dashes may be those of its end */
        } else if (in_comment && is_tag_here(p + 1, end, "script"))
            in_script = 1;
        else if (end - p > 2 && p[1] == '/' && is_tag_here(p + 2, end, "script")) {
            if (!in_script) {
                content->size = p - content->at;
                return end_raw(s, p + 8);
            }
            in_script = 0;
        }
    }
    return to_the_end(s, content);
}
