/* Which elements are open? The stack of a tree that is never built. */

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

/* Whether a character beyond ASCII, of which a byte is here, is neither white space to Python nor a
 * letter of ASCII in lower case. */
static int is_plain(const unsigned char *at, const unsigned char *end)
{
    unsigned char next = end - at > 1 ? at[1] : 0;
    switch (*at) {
    case 0xC2:
        return next != 0x85 && next != 0xA0;
    case 0xC4:
        return next != 0xB0;
    case 0xE1:
        return next != 0x9A;
    case 0xE2:
        return next != 0x80 && next != 0x81 && next != 0x84;
    case 0xE3:
        return next != 0x80;
    default:
        return 1;
    }
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
        if (*p < ' ' || *p == '&' || (*p >= 0x80 && !is_plain(p, end)))
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
