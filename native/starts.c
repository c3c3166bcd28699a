/* What does a start tag open, and what does it close? (HTML, 13.2.6) */

/* Whether a script holds data: of the others nobody asks anything. */
static int holds_data(Scan *s, int *is_data)
{
    static const char data[] = SCRIPTS_TOLD;
    Piece type = s->attribute[ATTR_TYPE], wanted = {(const unsigned char *)data, sizeof data - 1};
    *is_data = 0;
    if (!s->has[ATTR_TYPE])
        return FINE;
    for (Py_ssize_t n = 0; n < type.size; n++)
        if (type.at[n] >= 0x80 || type.at[n] == '&' || (type.at[n] < ' ' && !is_space(type.at[n])))
            return UNSURE; /* white space to Python, perhaps */
    while (type.size && is_space(type.at[type.size - 1]))
        type.size--;
    for (; type.size && is_space(*type.at); type.at++)
        type.size--;
    *is_data = same_letters(type, wanted);
    return FINE;
}

static int on_script(Scan *s, const Name *name)
{
    Piece content, none = {NULL, 0};
    int is_data;
    if (s->in_body)
        CHECK(push_void(s, name));
    CHECK(holds_data(s, &is_data));
    CHECK(script_text(s, &content));
    return is_data && s->scripts++ < MOST_SCRIPTS ? tell(s, SCRIPT, none, content) : FINE;
}

static int on_title(Scan *s, const Name *name)
{
    Piece content, none = {NULL, 0};
    if (s->in_body)
        CHECK(push_named(s, name));
    const unsigned char *start = s->p;
    CHECK(raw_text(s, "title", &content));
    /* Of more, the first ones are looked at. */
    if (++s->titles > MOST_TITLES && !s->has_title)
        return UNSURE;
    s->has_title = 1;
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

static int on_list_item(Scan *s, const Name *name)
{
    for (int n = s->depth - 1; n >= 0; n--) {
        int id = s->open[n].id;
        if (name->id == LI ? id == LI : id == DD || id == DT) {
            pop_implied(s, id);
            CHECK(pop_to(s, n));
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

static int has_any(Scan *s)
{
    for (int which = 0; which < ATTRIBUTES_COUNT; which++)
        if (s->has[which])
            return 1;
    return 0;
}

/* With what would be looked for, and is not where it is found. */
static int is_marked(Scan *s)
{
    return s->has[ATTR_ROLE] || s->has[ATTR_HIDDEN] || s->has[ATTR_ITEMPROP];
}

/* One that is text to the page, as it were: formatting goes on in it. */
static int on_inline(Scan *s, const Name *name)
{
    CHECK(open_formatting(s));
    if (name->flags & VOID)
        return push_void(s, name);
    CHECK(push_named(s, name));
    return name->flags & SCOPE ? add_marker(s) : FINE;
}

/* One with rules of its own. */
static int on_special_start(Scan *s, const Name *name, Piece spelled, int closes_itself)
{
    int id = name->id, nth;
    switch (id) {
    case LI: case DD: case DT:
        return on_list_item(s, name);
    case H1: case H2: case H3: case H4: case H5: case H6:
        CHECK(close_paragraph(s));
        if (is_heading(top(s)->id))
            pop(s);
        return push_named(s, name);
    case AREA:
        CHECK(open_formatting(s));
        CHECK(tell_link(s, AREA));
        return push_void(s, name);
    case HR:
        CHECK(close_paragraph(s));
        return push_void(s, name);
    case PARAM: case SOURCE: case TRACK:
        if (has_to_reopen(s))
            return UNSURE; /* by the standard they open nothing; not every tree agrees */
        return push_void(s, name);
    case BASE: case LINK:
        return push_void(s, name);
    case META:
        if (++s->metas > MOST_METAS)
            return UNSURE;
        return push_void(s, name);
    case SCRIPT:
        return on_script(s, name);
    case TITLE:
        return on_title(s, name);
    case NOFRAMES: /* what is in it has links, and the tree looks at them */
        return UNSURE;
    case STYLE: case IFRAME: case NOEMBED:
        return on_raw(s, name, 0);
    case XMP:
        CHECK(close_paragraph(s));
        CHECK(open_formatting(s));
        return on_raw(s, name, 0);
    case TEXTAREA:
        return on_raw(s, name, 1);
    case TEMPLATE:
        return skip_template(s);
    case FORM:
        if (s->form)
            return FINE; /* there is one already */
        CHECK(close_paragraph(s));
        CHECK(push_named(s, name));
        s->form = top(s)->serial;
        return FINE;
    case BUTTON:
        nth = in_scope(s, BUTTON, BUTTON, BUTTON);
        if (nth >= 0)
            pop_to(s, nth);
        return on_inline(s, name);
    case TABLE:
        /* Without the doctype of today, a table may stand in a paragraph. */
        if (!s->is_modern && in_scope(s, P, BUTTON, BUTTON) >= 0)
            return UNSURE;
        CHECK(close_paragraph(s));
        return push_named(s, name);
    case OPTION:
        if (top(s)->id == OPTION)
            pop(s);
        return on_inline(s, name);
    case OPTGROUP:
        if (top(s)->id == OPTION)
            pop(s);
        if (s->selects && top(s)->id == OPTGROUP)
            pop(s);
        return on_inline(s, name);
    case RP: case RT:
        if (top(s)->id == RP || top(s)->id == RT)
            pop(s);
        if (top(s)->id != RUBY)
            return UNSURE;
        return push_named(s, name);
    case SVG:
        CHECK(open_formatting(s));
        CHECK(push(s, SVG, 0, spelled, 1));
        if (closes_itself)
            pop(s);
        return FINE;
    case HEAD:
        return FINE;
    case BODY: /* again: what it has is added to the first */
        s->merged++;
        return is_marked(s) ? UNSURE : FINE;
    case HTML:
        s->merged++;
        return has_any(s) ? UNSURE : FINE;
    case BEYOND:
        return UNSURE;
    default:
        return on_inline(s, name);
    }
}

static int on_formatting_start(Scan *s, const Name *name, const unsigned char *token)
{
    int id = name->id, is_done;
    if (id == NOBR)
        CHECK(open_formatting(s));
    if (id == A ? listed_as(s, A) >= 0 : id == NOBR && in_scope(s, NOBR, NOBR, NOBR) >= 0) {
        CHECK(adopt(s, id, &is_done));
        if (!is_done || (id == A && listed_as(s, A) >= 0))
            return UNSURE;
        CHECK(again(s, token));
    }
    CHECK(open_formatting(s));
    if (id == A)
        CHECK(tell_link(s, A));
    CHECK(push_named(s, name));
    return list_formatting(s, name, token);
}

/* In a part of a table where only its parts may be: all else is thrown out of it. */
static int on_start_between_cells(Scan *s, const Name *name)
{
    int id = name == NULL ? UNKNOWN : name->id;
    Piece none = {NULL, 0};
    if (top(s)->id == COLGROUP && id != TEMPLATE)
        return UNSURE; /* which ends here */
    switch (id) {
    case SCRIPT: case STYLE: case TEMPLATE:
        return on_special_start(s, name, none, 0);
    case INPUT:
        return is_hidden_input(s) ? push_void(s, name) : UNSURE;
    case FORM:
        if (s->form)
            return FINE;
        CHECK(push_named(s, name));
        s->form = top(s)->serial;
        pop(s);
        return FINE;
    default:
        return UNSURE;
    }
}

static int on_start_in_body(
    Scan *s, const Name *name, Piece spelled, int closes_itself, const unsigned char *token)
{
    int id = name == NULL ? UNKNOWN : name->id;
    int flags = name == NULL ? 0 : name->flags;
    if (s->selects && id != OPTION && id != OPTGROUP && id != SCRIPT)
        return UNSURE;
    if (flags & TABLED && id != TABLE)
        return on_table_part(s, name);
    if (in_table(s))
        return on_start_between_cells(s, name);
    if (name == NULL) {
        CHECK(open_formatting(s));
        return push(s, UNKNOWN, 0, spelled, 0);
    }
    if (flags & FORMATTING)
        return on_formatting_start(s, name, token);
    if (flags & BLOCK) {
        CHECK(close_paragraph(s));
        CHECK(push_named(s, name));
        s->drop_newline = id == PRE;
        if (id == PRE && has_to_reopen(s))
            return UNSURE; /* whether a line end that is dropped opens it again */
        return FINE;
    }
    return on_special_start(s, name, spelled, closes_itself);
}

static int on_html(Scan *s)
{
    if (is_marked(s))
        return UNSURE;
    s->seen_html = 1;
    Piece none = {NULL, 0};
    return tell(s, HTML, none, none);
}

static int on_start_in_head(Scan *s, const Name *name, int *is_taken)
{
    *is_taken = 1;
    int id = name == NULL ? UNKNOWN : name->id;
    if (s->in_head_noscript && id != LINK && id != META && id != NOFRAMES && id != STYLE) {
        if (id == HTML || id == HEAD || id == NOSCRIPT)
            return UNSURE;
        s->in_head_noscript = 0; /* it ends here */
    }
    switch (id) {
    case HTML:
        return s->seen_html ? UNSURE : on_html(s);
    case HEAD:
        if (s->head_over)
            return UNSURE; /* ignored by the standard; not every tree does */
        if (s->seen_head)
            return FINE;
        if (is_marked(s))
            return UNSURE;
        s->seen_html = s->seen_head = s->in_head = 1;
        return FINE;
    case BODY:
        return s->has[ATTR_ITEMPROP] ? UNSURE : open_body(s);
    case BASE: case LINK: case META: case NOFRAMES: case NOSCRIPT: case SCRIPT: case STYLE:
    case TEMPLATE: case TITLE:
        break;
    default:
        *is_taken = 0;
        return FINE;
    }
    if (s->has[ATTR_ROLE] || s->has[ATTR_HIDDEN])
        return UNSURE;
    if (!s->head_over)
        s->seen_html = s->seen_head = s->in_head = 1;
    Piece content, none = {NULL, 0};
    switch (id) {
    case NOSCRIPT:
        if (s->head_over) {
            *is_taken = 0;
            return FINE;
        }
        s->in_head_noscript = 1;
        return s->has[ATTR_ITEMPROP] ? UNSURE : FINE;
    case SCRIPT:
        return is_dated(s) ? UNSURE : on_script(s, name);
    case NOFRAMES: /* as in the body */
        return UNSURE;
    case STYLE:
        return s->has[ATTR_ITEMPROP] ? UNSURE : raw_text(s, name->name, &content);
    case TITLE:
        return is_dated(s) ? UNSURE : on_title(s, name);
    case TEMPLATE:
        return skip_template(s);
    case META:
        if (++s->metas > MOST_METAS)
            return UNSURE;
    }
    return tell_listed(s, id, name->flags, none);
}

static int on_start(
    Scan *s, const Name *name, Piece spelled, int closes_itself, const unsigned char *token)
{
    s->drop_newline = 0;
    if (!s->in_body) {
        int is_taken;
        CHECK(on_start_in_head(s, name, &is_taken));
        if (is_taken)
            return FINE;
        CHECK(open_body_unasked(s));
    }
    s->body_over = 0;
    if (top(s)->foreign) {
        int is_taken;
        CHECK(on_drawing(s, name, spelled, closes_itself, &is_taken));
        if (is_taken)
            return FINE;
    }
    return on_start_in_body(s, name, spelled, closes_itself, token);
}
