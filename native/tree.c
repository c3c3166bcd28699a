/* Which elements are open, and where does text go? The stack of a tree that is never built. */

static Open *top(Scan *s)
{
    return &s->open[s->depth - 1];
}

static int listed_with(Scan *s, int serial);

static void pop(Scan *s)
{
    Open *closed = top(s);
    if (closed->record >= 0) {
        Record *record = &s->records[closed->record];
        record->end = s->size;
        record->last = s->count;
        record->nodes = closed->nodes;
    }
    if (closed->flags & UNSEEN)
        s->unseen--;
    if (closed->flags & FORMATTING) {
        int listed = listed_with(s, closed->serial);
        if (listed >= 0)
            s->list[listed].is_open = 0;
    }
    s->selects -= closed->id == SELECT;
    s->depth--;
    s->in_text = 0;
    if (s->depth && top(s)->deepest < closed->deepest)
        top(s)->deepest = closed->deepest;
}

/* Close everything down to the nth open element, itself included. */
static int pop_to(Scan *s, int nth)
{
    while (s->depth > nth)
        pop(s);
    return FINE;
}

static void pop_implied(Scan *s, int except)
{
    while (top(s)->flags & IMPLIED && top(s)->id != except)
        pop(s);
}

static int layout_level(Scan *s)
{
    /* The next one to be opened: 1 for a child of the body, 2 for a grandchild. */
    return top(s)->level + 1;
}

/* The next word of an attribute, in lower case, looked up in a list. Python knows further letters
 * and white space than ASCII: whoever uses them asks the tree. */
static int look_up(
    const Key *keys, int count, const unsigned char **at, const unsigned char *end, int *is_known)
{
    const unsigned char *p = *at;
    *is_known = 0;
    while (p < end && is_space(*p))
        p++;
    const unsigned char *word = p;
    for (; p < end && !is_space(*p); p++)
        if (*p < ' ' || *p >= 0x80 || *p == '&')
            return UNSURE;
    *at = p;
    if (p == word || p - word > LONGEST_NAME)
        return FINE;
    Key key = key_of(word, p - word);
    for (int n = 0; n < count; n++)
        *is_known |= same_key(keys[n], key);
    return FINE;
}

/* Whether a word of it names a part of the page's frame, as "navbar" does. */
static int names_frame(Scan *s, int which, int *is_framed)
{
    if (!s->has[which])
        return FINE;
    const unsigned char *p = s->attribute[which].at, *end = p + s->attribute[which].size;
    while (p < end) {
        int is_known;
        CHECK(look_up(FRAME_KEYS, FRAME_NAMES_COUNT, &p, end, &is_known));
        *is_framed |= is_known;
    }
    return FINE;
}

static int settle_role(Scan *s, int *role)
{
    *role = NO_ROLE;
    if (!s->has[ATTR_ROLE])
        return FINE;
    const unsigned char *p = s->attribute[ATTR_ROLE].at, *end = p + s->attribute[ATTR_ROLE].size;
    static const char main_role[] = "main";
    while (p < end && is_space(*p))
        p++;
    while (end > p && is_space(end[-1]))
        end--;
    if (end - p == 4) {
        int n = 0;
        while (n < 4 && (p[n] | 32) == (unsigned char)main_role[n])
            n++;
        if (n == 4) {
            *role = MAIN_ROLE;
            return FINE;
        }
    }
    int is_known;
    CHECK(look_up(ROLE_KEYS, LANDMARK_ROLES_COUNT, &p, end, &is_known));
    if (is_known && p == end) /* of several words none is a landmark */
        *role = LANDMARK_ROLE;
    while (p < end) /* but what follows may be white space to Python */
        CHECK(look_up(ROLE_KEYS, LANDMARK_ROLES_COUNT, &p, end, &is_known));
    return FINE;
}

static int has_record(Scan *s, int flags, int is_framed)
{
    if (flags & UNSEEN)
        return 0;
    if (flags & SPAN_OF || s->has[ATTR_ROLE] || s->has[ATTR_HIDDEN])
        return 1;
    return flags & LAYOUT && !s->unseen && (is_framed || layout_level(s) == 1);
}

static int is_in_section(Scan *s)
{
    for (int n = s->depth - 1; n >= 0; n--)
        if (s->open[n].flags & OWN_SECTION)
            return 1;
    return 0;
}

static int record(Scan *s, int id, int flags, int is_framed, int *place)
{
    if (s->count == s->room) {
        int room = s->room * 2;
        if (room > MOST_RECORDS)
            return UNSURE;
        Record *records = PyMem_Realloc(s->records, (size_t)room * sizeof *records);
        if (records == NULL) {
            PyErr_NoMemory();
            return FAILED;
        }
        s->records = records;
        s->room = room;
    }
    Record *new = &s->records[s->count];
    memset(new, 0, sizeof *new);
    new->id = id;
    new->start = new->end = s->size;
    new->level = layout_level(s);
    new->is_layout = (flags & LAYOUT) != 0;
    new->hidden = s->has[ATTR_HIDDEN] != 0;
    new->unseen = s->unseen > 0;
    new->is_framed = is_framed;
    if (id == HEADER || id == FOOTER)
        new->in_section = is_in_section(s);
    *place = s->count++;
    new->last = s->count;
    return settle_role(s, &new->role);
}

/* Open an element in the current one; `id` is UNKNOWN for one that only has a name. */
static int push(Scan *s, int id, int flags, Piece name, int foreign)
{
    int place = -1, is_framed = 0, level = layout_level(s);
    if (s->depth == MOST_OPEN)
        return UNSURE;
    if (flags & LAYOUT && (level == 1 || level == 2)) {
        CHECK(names_frame(s, ATTR_CLASS, &is_framed));
        CHECK(names_frame(s, ATTR_ID, &is_framed));
    }
    if (has_record(s, flags, is_framed))
        CHECK(record(s, id, flags, is_framed, &place));
    int is_asked = flags & (LISTED_ALWAYS | LISTED_IF) || s->has[ATTR_ITEMPROP];
    if (is_asked)
        CHECK(tell_listed(s, id, flags, name));
    is_asked |= place >= 0;
    if (is_asked && level > DEEPEST)
        return UNSURE;
    if (!(flags & UNSEEN))
        top(s)->nodes++;
    Open *new = &s->open[s->depth++];
    new->id = id;
    new->flags = flags;
    new->name = name;
    new->sum = id == UNKNOWN ? sum_of(name) : 0;
    new->record = place;
    new->nodes = 0;
    new->foreign = foreign;
    new->level = level;
    new->deepest = is_asked ? level : 0;
    new->serial = ++s->serials;
    if (flags & UNSEEN)
        s->unseen++;
    s->selects += id == SELECT;
    s->in_text = 0;
    return FINE;
}

static int push_named(Scan *s, const Name *name)
{
    Piece none = {NULL, 0};
    return push(s, name->id, name->flags, none, 0);
}

static int push_implied(Scan *s, int id, int flags)
{
    /* It has no attributes of its own: those at hand are of the one that implies it. */
    unsigned char has[ATTRIBUTES_COUNT];
    Piece none = {NULL, 0};
    memcpy(has, s->has, sizeof has);
    memset(s->has, 0, sizeof has);
    int answer = push(s, id, flags, none, 0);
    memcpy(s->has, has, sizeof has);
    return answer;
}

/* An element without content. */
static int push_void(Scan *s, const Name *name)
{
    CHECK(push_named(s, name));
    pop(s);
    return FINE;
}

static int in_scope(Scan *s, int id, int boundary, int other_boundary)
{
    for (int n = s->depth - 1; n >= 0; n--) {
        if (s->open[n].id == id)
            return n;
        if (s->open[n].flags & SCOPE || s->open[n].id == boundary ||
            s->open[n].id == other_boundary)
            return -1;
    }
    return -1;
}

static int open_body(Scan *s)
{
    Piece none = {NULL, 0};
    int place;
    s->seen_html = s->seen_head = s->head_over = s->in_body = 1;
    s->in_head = 0;
    /* Always on record, whatever it has. */
    CHECK(record(s, BODY, 0, 0, &place));
    Open *new = &s->open[s->depth++];
    memset(new, 0, sizeof *new);
    new->id = BODY;
    new->flags = SPECIAL;
    new->name = none;
    new->record = place;
    new->serial = ++s->serials;
    s->in_text = 0;
    return FINE;
}

static int open_body_unasked(Scan *s)
{
    unsigned char has[ATTRIBUTES_COUNT];
    memcpy(has, s->has, sizeof has);
    memset(s->has, 0, sizeof has);
    int answer = open_body(s);
    memcpy(s->has, has, sizeof has);
    return answer;
}

/* Whether it may hold parts of a table, and nothing else. */
static int is_table_context(int id)
{
    return id == TABLE || id == TBODY || id == THEAD || id == TFOOT || id == TR || id == COLGROUP;
}

static int in_table(Scan *s)
{
    return is_table_context(top(s)->id);
}

static int close_paragraph(Scan *s)
{
    int nth = in_scope(s, P, BUTTON, BUTTON);
    if (nth < 0)
        return FINE;
    pop_implied(s, P);
    return pop_to(s, nth);
}

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

static int open_formatting(Scan *s);

static int on_text(Scan *s, const unsigned char *at, const unsigned char *end)
{
    if (!s->in_body) {
        /* White space before the body is no part of it. */
        while (at < end && is_space(*at))
            at++;
        if (at == end)
            return FINE;
        if (*at == '&')
            return UNSURE; /* may stand for white space */
        CHECK(open_body_unasked(s));
    }
    if (in_table(s)) /* which throws it out */
        return is_blank(at, end) ? write_resolved(s, at, end) : UNSURE;
    if (s->body_over && !is_blank(at, end))
        s->body_over = 0;
    if (s->drop_newline) {
        if (*at == '&')
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
    if (s->in_body && !s->body_over) {
        top(s)->nodes++;
        s->in_text = 0;
    } else if (!s->in_body && !s->in_head && s->seen_html && ++s->above_body > MOST_ABOVE_BODY)
        return UNSURE;
    return FINE;
}
