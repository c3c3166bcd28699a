/* Which formatting elements are opened again in what follows them? (HTML, 13.2.4.3 and 13.2.6.4.7)
 *
 * Of the tree that an adoption rearranges only the open elements are known here. That is enough:
 * texts and elements stay in the order in which they came, and what an adoption moves lies too
 * deep to be part of a page's frame. Where it does not, the tree is asked. */

/* What is opened again is read again: however a page is made, not more than so often. */
static int spend(Scan *s, Py_ssize_t bytes)
{
    s->budget -= bytes + 16;
    return s->budget < 0 ? UNSURE : FINE;
}

static void forget(Scan *s, int nth)
{
    s->listed--;
    memmove(&s->list[nth], &s->list[nth + 1], (size_t)(s->listed - nth) * sizeof *s->list);
}

static void forget_to_marker(Scan *s)
{
    while (s->listed && s->list[s->listed - 1].id != MARKER)
        s->listed--;
    if (s->listed)
        s->listed--;
}

static int add_marker(Scan *s)
{
    if (s->listed == MOST_FORMATTING)
        return UNSURE;
    memset(&s->list[s->listed], 0, sizeof *s->list);
    s->list[s->listed++].id = MARKER;
    return FINE;
}

/* The last one behind the last marker, or -1. */
static int listed_as(Scan *s, int id)
{
    for (int n = s->listed - 1; n >= 0 && s->list[n].id != MARKER; n--)
        if (s->list[n].id == id)
            return n;
    return -1;
}

static int listed_with(Scan *s, int serial)
{
    for (int n = s->listed - 1; n >= 0; n--)
        if (s->list[n].serial == serial)
            return n;
    return -1;
}

static int open_with(Scan *s, int serial)
{
    for (int n = s->depth - 1; n >= 0; n--)
        if (s->open[n].serial == serial)
            return n;
    return -1;
}

/* Whether two tags have the same attributes, in any order. */
static int same_attributes(
    Scan *s, const unsigned char *one, const unsigned char *other, int *is_same)
{
    Piece name, value, its_name, its_value;
    int count = 0, other_count = 0;
    *is_same = 1;
    for (const unsigned char *p = other; next_attribute(&p, s->end, &its_name, &its_value) > 0;)
        if (++other_count > MOST_COMPARED)
            return UNSURE;
    while (next_attribute(&one, s->end, &name, &value) > 0) {
        int is_there = 0;
        if (++count > MOST_COMPARED || !is_ascii(name))
            return UNSURE;
        const unsigned char *end = s->end, *p = one;
        while (next_attribute(&p, end, &its_name, &its_value) > 0)
            if (same_letters(name, its_name))
                return UNSURE; /* twice the same name */
        for (p = other; next_attribute(&p, end, &its_name, &its_value) > 0;) {
            if (!same_letters(name, its_name))
                continue;
            if (is_there)
                return UNSURE;
            is_there = 1;
            if (value.size == its_value.size &&
                memcmp(value.at, its_value.at, (size_t)value.size) == 0)
                continue;
            if (memchr(value.at, '&', (size_t)value.size) ||
                memchr(its_value.at, '&', (size_t)its_value.size) || !is_ascii(value) ||
                !is_ascii(its_value))
                return UNSURE; /* spelled otherwise, maybe */
            *is_same = 0;
        }
        *is_same &= is_there;
    }
    *is_same &= count == other_count;
    return FINE;
}

/* Of more than three that are alike the first is forgotten. */
static int forget_fourth(Scan *s, int id, const unsigned char *token)
{
    int alike = 0, first = -1, same = 0;
    for (int n = s->listed - 1; n >= 0 && s->list[n].id != MARKER; n--)
        alike += s->list[n].id == id;
    if (alike < 3)
        return FINE;
    for (int n = s->listed - 1; n >= 0 && s->list[n].id != MARKER; n--) {
        int is_same;
        if (s->list[n].id != id)
            continue;
        CHECK(spend(s, s->p - token + s->list[n].size));
        CHECK(same_attributes(s, token, s->list[n].token, &is_same));
        if (is_same) {
            same++;
            first = n;
        }
    }
    if (same >= 3)
        forget(s, first);
    return FINE;
}

static int list_formatting(Scan *s, const Name *name, const unsigned char *token)
{
    CHECK(forget_fourth(s, name->id, token));
    if (s->listed == MOST_FORMATTING)
        return UNSURE;
    Formatting *new = &s->list[s->listed++];
    new->id = name->id;
    new->serial = top(s)->serial;
    new->is_open = 1;
    new->is_marked = s->has[ATTR_ROLE] || s->has[ATTR_HIDDEN] || s->has[ATTR_ITEMPROP] ||
                     name->flags & (LISTED_ALWAYS | LISTED_IF);
    new->name = name;
    new->token = token;
    new->size = s->p - token;
    return FINE;
}

/* Read the attributes of a tag again that was read before. */
static int again(Scan *s, const unsigned char *token)
{
    const unsigned char *p = s->p;
    int closes_itself;
    s->p = token;
    int answer = attributes(s, &closes_itself);
    Py_ssize_t size = s->p - token;
    s->p = p;
    return answer == FINE ? spend(s, size) : answer;
}

static int open_again(Scan *s, Formatting *entry)
{
    CHECK(again(s, entry->token));
    if (entry->id == A)
        CHECK(tell_link(s, A));
    CHECK(push_named(s, entry->name));
    entry->serial = top(s)->serial;
    entry->is_open = 1;
    return FINE;
}

static int reopen(Scan *s)
{
    int first = s->listed;
    while (first > 0 && s->list[first - 1].id != MARKER && !s->list[first - 1].is_open)
        first--;
    if (s->selects)
        return UNSURE;
    /* The attributes at hand are those of the tag for which they are opened again. */
    Piece attribute[ATTRIBUTES_COUNT];
    unsigned char has[ATTRIBUTES_COUNT];
    memcpy(attribute, s->attribute, sizeof attribute);
    memcpy(has, s->has, sizeof has);
    for (int n = first; n < s->listed; n++)
        CHECK(open_again(s, &s->list[n]));
    memcpy(s->attribute, attribute, sizeof attribute);
    memcpy(s->has, has, sizeof has);
    return FINE;
}

static int has_to_reopen(Scan *s)
{
    if (!s->listed)
        return 0;
    const Formatting *last = &s->list[s->listed - 1];
    return !last->is_open && last->id != MARKER;
}

/* "Reconstruct the active formatting elements." */
static int open_formatting(Scan *s)
{
    return has_to_reopen(s) ? reopen(s) : FINE;
}

static void take_off(Scan *s, int nth)
{
    if (s->open[nth - 1].deepest < s->open[nth].deepest)
        s->open[nth - 1].deepest = s->open[nth].deepest;
    s->depth--;
    memmove(&s->open[nth], &s->open[nth + 1], (size_t)(s->depth - nth) * sizeof *s->open);
}

/* A copy of a formatting element in another place, which the list then has in its stead. */
static int copied(Scan *s, Formatting *entry)
{
    if (entry->is_marked)
        return UNSURE;
    if (entry->id == A) {
        CHECK(again(s, entry->token));
        CHECK(tell_link(s, A));
    }
    entry->serial = ++s->serials;
    entry->is_open = 1;
    return FINE;
}

/* What stands between a formatting element and the block in it that is moved out of it. */
static int adopt_between(Scan *s, int formatting, int *block, int *bookmark)
{
    int is_first = 1, step = 0;
    for (int n = *block - 1; n > formatting; n--) {
        int listed = listed_with(s, s->open[n].serial);
        if (s->open[n].record >= 0)
            return UNSURE;
        if (++step > 3 && listed >= 0) {
            forget(s, listed);
            *bookmark -= listed < *bookmark;
            listed = -1;
        }
        if (listed < 0) {
            take_off(s, n);
            --*block;
            continue;
        }
        CHECK(copied(s, &s->list[listed]));
        s->open[n].serial = s->list[listed].serial;
        if (is_first)
            *bookmark = listed + 1;
        is_first = 0;
    }
    return FINE;
}

static void deepen(Scan *s, int from)
{
    for (int n = from; n < s->depth; n++) {
        s->open[n].level++;
        s->open[n].deepest += s->open[n].deepest > 0;
    }
}

/* A block is moved out of a formatting element, and its content into a copy of that. */
static int adopt_block(Scan *s, int nth, int formatting, int block)
{
    int bookmark = nth, serial = s->list[nth].serial;
    if (s->open[formatting].level <= LAYOUT_DEPTH || s->open[formatting].record >= 0 ||
        s->depth == MOST_OPEN || is_table_context(s->open[formatting - 1].id))
        return UNSURE;
    CHECK(adopt_between(s, formatting, &block, &bookmark));
    nth = listed_with(s, serial);
    Formatting copy = s->list[nth];
    CHECK(copied(s, &copy));
    forget(s, nth);
    bookmark -= nth < bookmark;
    memmove(&s->list[bookmark + 1], &s->list[bookmark],
            (size_t)(s->listed - bookmark) * sizeof *s->list);
    s->list[bookmark] = copy;
    s->listed++;
    Open below = s->open[formatting];
    take_off(s, formatting);
    block--;
    memmove(&s->open[block + 2], &s->open[block + 1],
            (size_t)(s->depth - block - 1) * sizeof *s->open);
    s->depth++;
    below.serial = copy.serial;
    below.level = s->open[block].level;
    below.deepest = s->open[block].deepest;
    s->open[block + 1] = below;
    deepen(s, block + 1);
    for (int n = block + 1; n < s->depth; n++)
        if (s->open[n].deepest > DEEPEST)
            return UNSURE;
    return FINE;
}

/* "The adoption agency algorithm", for an end tag, or a start tag that implies one. Answers with
 * `is_done` 0 where the end tag is one like any other. */
static int adopt(Scan *s, int id, int *is_done)
{
    *is_done = 1;
    if (top(s)->id == id && !top(s)->foreign && listed_with(s, top(s)->serial) < 0) {
        pop(s);
        return FINE;
    }
    for (int round = 0; round < 8; round++) {
        int nth = listed_as(s, id);
        if (nth < 0) {
            *is_done = 0;
            return FINE;
        }
        int formatting = open_with(s, s->list[nth].serial);
        if (formatting < 0) {
            forget(s, nth);
            return FINE;
        }
        int block = -1;
        for (int n = s->depth - 1; n > formatting; n--) {
            if (s->open[n].flags & SCOPE)
                return FINE; /* out of reach */
            if (s->open[n].flags & SPECIAL)
                block = n;
        }
        if (block < 0) {
            pop_to(s, formatting);
            forget(s, nth);
            return FINE;
        }
        CHECK(adopt_block(s, nth, formatting, block));
    }
    return UNSURE;
}
