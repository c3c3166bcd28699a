/* What does a start tag open, and what does it close? (HTML, 13.2.6) */

/* The text up to the end tag of an element whose content is no markup, and behind that tag. */
static int raw_text(Scan *s, const char *name, Piece *content)
{
    size_t size = strlen(name);
    const unsigned char *p = s->p;
    content->at = p;
    for (;;) {
        p = memchr(p, '<', (size_t)(s->end - p));
        if (p == NULL || (size_t)(s->end - p) < size + 3)
            return UNSURE;
        if (p[1] == '/') {
            size_t n = 0;
            while (n < size && (p[2 + n] | 32) == (unsigned char)name[n])
                n++;
            const unsigned char *close = p + 2 + size;
            if (n == size && (is_space(*close) || *close == '/' || *close == '>')) {
                while (close < s->end && is_space(*close))
                    close++;
                if (close == s->end || *close != '>')
                    return UNSURE; /* an end tag with something in it */
                content->size = p - content->at;
                s->p = close + 1;
                return FINE;
            }
        }
        p++;
    }
}

static int has_letters(Piece piece, const char *letters)
{
    size_t size = strlen(letters);
    for (Py_ssize_t at = 0; at + (Py_ssize_t)size <= piece.size; at++) {
        const unsigned char *p = memchr(piece.at + at, '<', (size_t)(piece.size - at));
        if (p == NULL)
            return 0;
        at = p - piece.at;
        if (at + (Py_ssize_t)size > piece.size)
            return 0;
        size_t n = 0;
        while (n < size && (p[n] | 32) == ((unsigned char)letters[n] | 32))
            n++;
        if (n == size)
            return 1;
    }
    return 0;
}

static int on_script(Scan *s, const Name *name)
{
    Piece content, none = {NULL, 0};
    unsigned char is_typed = s->has[ATTR_TYPE];
    if (s->in_body)
        CHECK(push_void(s, name));
    CHECK(raw_text(s, "script", &content));
    if (has_letters(content, "<!--") && has_letters(content, "<script"))
        return UNSURE; /* may go on behind its end tag */
    /* Those that hold data say so; of the others nobody asks anything. */
    if (s->scripts++ < MOST_SCRIPTS && is_typed)
        return tell(s, SCRIPT, none, s->attribute[ATTR_TYPE].size >= 7 ? content : none);
    return FINE;
}

static int on_title(Scan *s, const Name *name)
{
    Piece content, none = {NULL, 0};
    if (s->in_body)
        CHECK(push_named(s, name));
    const unsigned char *start = s->p;
    CHECK(raw_text(s, "title", &content));
    if (++s->titles > MOST_TITLES)
        return UNSURE;
    int has_references = memchr(content.at, '&', (size_t)content.size) != NULL;
    if (has_references) {
        /* As text, not as an attribute, a title may have bare ampersands: see `reference`. */
        Py_ssize_t size;
        CHECK(resolved(s, content, 0, &size));
        Piece plain = {s->scratch, size};
        CHECK(tell(s, TITLE, none, plain));
    } else
        CHECK(tell(s, TITLE, none, content));
    if (s->in_body) {
        CHECK(write_resolved(s, start, content.at + content.size));
        pop(s);
    }
    return FINE;
}

/* An element with text in which tags mean nothing. */
static int on_raw(Scan *s, const Name *name, int has_references)
{
    Piece content;
    CHECK(push_named(s, name));
    if (name->id == TEXTAREA)
        s->drop_newline = 1;
    CHECK(raw_text(s, name->name, &content));
    if (has_references)
        CHECK(write_resolved(s, content.at, content.at + content.size));
    else if (!(name->flags & UNSEEN))
        CHECK(write_text(s, content.at, content.size));
    s->drop_newline = 0;
    pop(s);
    return FINE;
}

static int is_hidden_input(Scan *s)
{
    Piece hidden = {(const unsigned char *)"hidden", 6};
    return s->has[ATTR_TYPE] == 1 && same_letters(s->attribute[ATTR_TYPE], hidden);
}

/* Where a part of a table goes: what it closes, and what it takes for granted. */
static int on_table_part(Scan *s, const Name *name)
{
    int id = name->id;
    for (int n = s->depth - 1;; n--) {
        if (n < 0)
            return UNSURE;
        int around = s->open[n].id;
        if (around == TD || around == TH || around == CAPTION) {
            pop_implied(s, -1);
            CHECK(pop_to(s, n, 1));
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
            else
                return push_named(s, name);
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
            if (id == TD || id == TH)
                return push_named(s, name);
            pop(s);
            break;
        default:
            return UNSURE;
        }
    }
}

static int on_list_item(Scan *s, const Name *name)
{
    for (int n = s->depth - 1; n >= 0; n--) {
        int id = s->open[n].id;
        if (name->id == LI ? id == LI : id == DD || id == DT) {
            pop_implied(s, id);
            CHECK(pop_to(s, n, 0));
            break;
        }
        if (s->open[n].flags & SPECIAL && id != ADDRESS && id != DIV && id != P)
            break;
    }
    CHECK(close_paragraph(s));
    return push_named(s, name);
}

static int is_heading(int id)
{
    return id >= H1 && id <= H6;
}

/* A start tag inside a drawing. */
static int on_drawing(Scan *s, const Name *name, Piece spelled, int closes_itself)
{
    int id = name == NULL ? UNKNOWN : name->id, flags = 0;
    if (top(s)->id == TITLE || top(s)->id == DESC)
        return UNSURE; /* HTML again */
    if (name != NULL) {
        if (!(name->flags & DRAWN) && id != SVG)
            return UNSURE;
        flags = id == STYLE ? UNSEEN : 0;
        if (id == TITLE && ++s->titles > MOST_TITLES)
            return UNSURE;
    } else if (spelled.size == 13) {
        Piece frame = {(const unsigned char *)"foreignobject", 13};
        if (same_letters(spelled, frame))
            return UNSURE;
    }
    CHECK(push(s, id, flags, spelled, 1));
    if (closes_itself)
        pop(s);
    return FINE;
}

/* One with rules of its own. */
static int on_special_start(Scan *s, const Name *name, Piece spelled, int closes_itself)
{
    int id = name->id;
    switch (id) {
    case LI: case DD: case DT:
        return on_list_item(s, name);
    case H1: case H2: case H3: case H4: case H5: case H6:
        CHECK(close_paragraph(s));
        if (is_heading(top(s)->id))
            pop(s);
        return push_named(s, name);
    case AREA:
        CHECK(tell_link(s, AREA));
        return push_void(s, name);
    case HR:
        CHECK(close_paragraph(s));
        return push_void(s, name);
    case BASE: case BR: case EMBED: case IMG: case INPUT: case LINK: case PARAM: case SOURCE: case TRACK: case WBR:
        return push_void(s, name);
    case META:
        if (++s->metas > MOST_METAS)
            return UNSURE;
        return push_void(s, name);
    case SCRIPT:
        return on_script(s, name);
    case TITLE:
        return on_title(s, name);
    case STYLE: case IFRAME:
        return on_raw(s, name, 0);
    case TEXTAREA:
        return on_raw(s, name, 1);
    case FORM:
        if (s->has_form)
            return UNSURE;
        CHECK(close_paragraph(s));
        s->has_form = 1;
        return push_named(s, name);
    case BUTTON:
        if (in_scope(s, BUTTON, BUTTON, BUTTON) >= 0)
            return UNSURE;
        return push_named(s, name);
    case TABLE:
        /* Without the doctype of today, a table may stand in a paragraph. */
        if (!s->is_modern && in_scope(s, P, BUTTON, BUTTON) >= 0)
            return UNSURE;
        CHECK(close_paragraph(s));
        return push_named(s, name);
    case OPTION:
        if (top(s)->id == OPTION)
            pop(s);
        return push_named(s, name);
    case OPTGROUP:
        if (top(s)->id == OPTION)
            pop(s);
        if (s->selects && top(s)->id == OPTGROUP)
            pop(s);
        return push_named(s, name);
    case RP: case RT:
        if (top(s)->id == RP || top(s)->id == RT)
            pop(s);
        if (top(s)->id != RUBY)
            return UNSURE;
        return push_named(s, name);
    case SVG:
        CHECK(push(s, SVG, 0, spelled, 1));
        if (closes_itself)
            pop(s);
        return FINE;
    case LABEL: case NOSCRIPT: case OBJECT: case RUBY: case SELECT: case SPAN: case SUB: case SUP:
    case TIME: case VAR: case DESC:
        return push_named(s, name);
    default: /* html, head, body again, and whatever is beyond us */
        return id >= NAMES ? push_named(s, name) : UNSURE;
    }
}

static int on_start_in_body(Scan *s, const Name *name, Piece spelled, int closes_itself)
{
    int id = name == NULL ? UNKNOWN : name->id;
    int flags = name == NULL ? 0 : name->flags;
    if (s->selects && id != OPTION && id != OPTGROUP)
        return UNSURE;
    if (flags & TABLED && id != TABLE)
        return on_table_part(s, name);
    if (in_table(s) && id != SCRIPT && id != STYLE && !(id == INPUT && is_hidden_input(s)))
        return UNSURE;
    if (top(s)->id == COLGROUP)
        return UNSURE; /* which ends here */
    if (name == NULL)
        return push(s, UNKNOWN, 0, spelled, 0);
    if (flags & FORMATTING) {
        if ((id == A || id == NOBR) && is_open(s, id))
            return UNSURE;
        if (id == A)
            CHECK(tell_link(s, A));
        return push_named(s, name);
    }
    if (flags & BLOCK) {
        CHECK(close_paragraph(s));
        CHECK(push_named(s, name));
        s->drop_newline = id == PRE;
        return FINE;
    }
    return on_special_start(s, name, spelled, closes_itself);
}

/* With what would be looked for, and is not where it is found. */
static int is_marked(Scan *s)
{
    return s->has[ATTR_ROLE] || s->has[ATTR_HIDDEN] || s->has[ATTR_ITEMPROP];
}

static int on_html(Scan *s)
{
    if (s->seen_html || is_marked(s))
        return UNSURE;
    s->seen_html = 1;
    Piece none = {NULL, 0};
    return tell(s, HTML, none, none);
}

static int on_start_in_head(Scan *s, const Name *name, int *is_taken)
{
    *is_taken = 1;
    switch (name == NULL ? UNKNOWN : name->id) {
    case HTML:
        if (s->seen_head)
            return UNSURE;
        return on_html(s);
    case HEAD:
        if (s->seen_head || is_marked(s))
            return UNSURE;
        s->seen_html = s->seen_head = s->in_head = 1;
        return FINE;
    case BODY:
        if (s->in_head_noscript || s->has[ATTR_ITEMPROP])
            return UNSURE;
        return open_body(s);
    case BASE: case LINK: case META: case NOSCRIPT: case SCRIPT: case STYLE: case TITLE:
        break;
    default:
        *is_taken = 0;
        return s->in_head_noscript ? UNSURE : FINE;
    }
    if (s->has[ATTR_ROLE] || s->has[ATTR_HIDDEN])
        return UNSURE;
    if (!s->head_over)
        s->seen_html = s->seen_head = s->in_head = 1;
    Piece content;
    switch (name->id) {
    case NOSCRIPT:
        if (s->in_head_noscript || s->head_over || s->has[ATTR_ITEMPROP])
            return UNSURE;
        s->in_head_noscript = 1;
        return FINE;
    case SCRIPT:
        return s->in_head_noscript || is_dated(s) ? UNSURE : on_script(s, name);
    case STYLE:
        return s->has[ATTR_ITEMPROP] ? UNSURE : raw_text(s, "style", &content);
    case TITLE:
        return s->in_head_noscript || is_dated(s) ? UNSURE : on_title(s, name);
    case META:
        if (++s->metas > MOST_METAS)
            return UNSURE;
        break;
    case BASE:
        if (s->in_head_noscript)
            return UNSURE;
    }
    Piece none = {NULL, 0};
    return tell_listed(s, name->id, name->flags, none);
}

static int on_start(Scan *s, const Name *name, Piece spelled, int closes_itself)
{
    s->drop_newline = 0;
    if (name != NULL && name->id == BEYOND)
        return UNSURE;
    if (!s->in_body) {
        int is_taken;
        CHECK(on_start_in_head(s, name, &is_taken));
        if (is_taken)
            return FINE;
        CHECK(open_body_unasked(s));
    }
    if (s->body_over)
        return UNSURE; /* still the body's, in the end, but a comment may have come between */
    if (top(s)->foreign)
        return on_drawing(s, name, spelled, closes_itself);
    return on_start_in_body(s, name, spelled, closes_itself);
}
