/* How large may the tree of a page become, at most? Told by its bytes, before it is built.
 *
 * Nearly all of a page is there once for each tag. What is repeated is formatting: an element
 * that was left open (<b>, <font color=red>) is opened again in every block behind it. So every
 * tag counts once, and once more for each formatting element that may be open: `again`.
 *
 * Nothing is skipped: every `<` counts as what it would be if the parser stood in text there, since
 * in a script, a comment or a quoted value it is less. A formatting element is over only when that
 * is certain, because all that was opened in it is closed as well. In every doubt `forget` leaves
 * it open for good. So the count is never too small; bounds.py says the same in Python. */

#define MOST_ENTRIES 64
#define MOST_WITHIN 6 /* open elements that the end of a formatting element surely reaches through */
#define REPAIR 32     /* elements that one misplaced end of formatting copies, at most */
#define ARK 3         /* equal formatting elements that are opened again, at most */
#define MOST_SHAPES 16
#define MOST_RUNS 16  /* times the size of the page: what is read of tags that have no clear end */
#define PER_NODE 4    /* attributes, or mistakes, that take as much memory as one node */
#define PER_MARK 8    /* bytes of a tag outside of quotes that are counted like one node */

/* What a tag does to what is open around it. */
enum {
    AS_ORDINARY, AS_FORMAT, AS_BLOCK, AS_PARAGRAPH, AS_ITEM, AS_HEADING, AS_PHRASE, AS_VOID,
    AS_RAW, AS_TABLE, AS_CELL, AS_PART, AS_DRAWING, AS_MERGED, AS_DOUBT
};

static const struct {
    int kind;
    const char *names;
} KINDS[] = {
    {AS_FORMAT,
     "a b big code em font i nobr s small strike strong tt u"},
    {AS_BLOCK,
     "address article aside blockquote center details dialog dir div dl fieldset "
     "figcaption figure footer header hgroup main menu nav ol pre section summary ul"},
    {AS_PARAGRAPH,
     "p"},
    {AS_ITEM,
     "dd dt li"},
    {AS_HEADING,
     "h1 h2 h3 h4 h5 h6 listing"},
    {AS_PHRASE,
     "ruby span sub sup var"},
    {AS_VOID,
     "area base br col embed frame hr img input link meta param source track wbr"},
    {AS_RAW,
     "desc iframe noembed noframes script style textarea title xmp"},
    {AS_TABLE,
     "table"},
    {AS_CELL,
     "caption td th"},
    {AS_PART,
     "colgroup tbody tfoot thead tr"},
    {AS_DRAWING,
     "svg"},
    {AS_MERGED,
     "body html"},
    {AS_DOUBT,
     "annotation-xml applet foreignobject frameset head marquee math mi mn mo ms "
     "mtext object plaintext select template"},
};

#define KIND_PLACES 512
#define LONGEST_KIND 14

typedef struct {
    char name[LONGEST_KIND + 1];
    unsigned char size, kind, which; /* `which` of the formatting elements */
} Known;

static Known KNOWN[KIND_PLACES];
static unsigned char FORMATTINGS;

static uint32_t place_of(const unsigned char *name, Py_ssize_t size)
{
    uint32_t sum = (uint32_t)size * 37u + (name[0] | 32u) * 7u + (name[size - 1] | 32u) * 61u;
    return (sum + (name[size / 2] | 32u) * 131u) % KIND_PLACES;
}

static void know(const char *name, Py_ssize_t size, int kind)
{
    uint32_t place = place_of((const unsigned char *)name, size);
    while (KNOWN[place].size)
        place = (place + 1) % KIND_PLACES;
    memcpy(KNOWN[place].name, name, (size_t)size);
    KNOWN[place].size = (unsigned char)size;
    KNOWN[place].kind = (unsigned char)kind;
    KNOWN[place].which = kind == AS_FORMAT ? FORMATTINGS++ : 0;
}

static void fill_kinds(void)
{
    if (FORMATTINGS)
        return; /* another interpreter has */
    for (size_t n = 0; n < sizeof KINDS / sizeof *KINDS; n++) {
        const char *at = KINDS[n].names;
        while (*at) {
            size_t size = strcspn(at, " ");
            know(at, (Py_ssize_t)size, KINDS[n].kind);
            at += size + (at[size] == ' ');
        }
    }
}

static int same_kind_name(const unsigned char *one, const char *other, Py_ssize_t size)
{
    for (Py_ssize_t n = 0; n < size; n++)
        if (lower(one[n]) != (unsigned char)other[n])
            return 0;
    return 1;
}

static const Known *known(const unsigned char *name, Py_ssize_t size)
{
    static const Known UNKNOWN_NAME = {"", 0, AS_ORDINARY, 0};
    if (size > LONGEST_KIND)
        return &UNKNOWN_NAME;
    for (uint32_t place = place_of(name, size); KNOWN[place].size;
         place = (place + 1) % KIND_PLACES)
        if (KNOWN[place].size == size && same_kind_name(name, KNOWN[place].name, size))
            return &KNOWN[place];
    return &UNKNOWN_NAME;
}

typedef struct {
    Piece name; /* of size 0 where it cannot be told from others */
    Piece tag;  /* from its name to its end */
    int kind, which;
    int64_t weight; /* of a formatting element: what it takes each time that it is opened again */
    int64_t kept;   /* how many of its name had stayed open before it */
} Entry;

typedef struct {
    const unsigned char *end;
    const unsigned char *read; /* how far tags that have no clear end were read */
    Entry open[MOST_ENTRIES];
    int depth, drawings, anchors;
    Entry aside[MOST_ENTRIES]; /* what is open around a comment, and where that ends */
    int aside_depth, aside_drawings, aside_anchors;
    const unsigned char *aside_until;
    int64_t count, again, heaviest, merged, runs;
    int64_t kept[32]; /* formatting elements that stay open, by `which` */
    int plain[32]; /* those without attributes, not more of each than are opened again */
    Piece shapes[MOST_SHAPES]; /* tags of others that stay open, and how often each */
    int times[MOST_SHAPES];
    int next_shape;
} Bounds;

typedef struct {
    const unsigned char *end; /* its `>`; NULL where that is not certain */
    int64_t attributes;
    int64_t bare; /* bytes outside of quotes: each may be a mistake that the parser notes */
    int closes_itself;
} Tag;

/* Blanks, and what else ends a name or a value. */
static const unsigned char IN_TAGS[256] = {
    [' '] = 1, ['\n'] = 1, ['\t'] = 1, ['\f'] = 1, ['\r'] = 1, ['/'] = 2, ['='] = 2, ['>'] = 2,
};

enum { BEFORE_NAME, IN_NAME, AFTER_NAME, BEFORE_VALUE, IN_VALUE };

/* The rest of a tag, up to `limit`. */
static Tag rest_of_tag(const unsigned char *at, const unsigned char *limit)
{
    Tag tag = {NULL, 0, limit - at, 0};
    const unsigned char *start = at;
    int64_t quoted = 0;
    int state = BEFORE_NAME;
    for (; at < limit; at++) {
        unsigned char c = *at;
        if (!IN_TAGS[c] && (state == IN_NAME || state == IN_VALUE))
            continue;
        int blank = IN_TAGS[c] == 1;
        if (c == '>') {
            tag.end = at;
            tag.bare = at - start - quoted;
            tag.closes_itself = state != IN_VALUE && state != BEFORE_VALUE && at[-1] == '/';
            return tag;
        }
        if (state == IN_VALUE) {
            if (blank)
                state = BEFORE_NAME;
        } else if (state == BEFORE_VALUE) {
            if (c == '"' || c == '\'') {
                const unsigned char *value = at;
                at = memchr(at + 1, c, (size_t)(limit - at - 1));
                if (at == NULL)
                    return tag;
                quoted += at - value;
                state = BEFORE_NAME;
            } else if (!blank)
                state = IN_VALUE;
        } else if (blank) {
            if (state == IN_NAME)
                state = AFTER_NAME;
        } else if (c == '/') {
            state = BEFORE_NAME;
        } else if (c == '=' && state != BEFORE_NAME) {
            state = BEFORE_VALUE;
        } else if (state != IN_NAME) {
            tag.attributes++;
            state = IN_NAME;
        }
    }
    return tag;
}

static int is_same_piece(Piece one, Piece other)
{
    return one.size == other.size && memcmp(one.at, other.at, (size_t)one.size) == 0;
}

/* A formatting element stays open for good, unless there are enough like it already. */
static void keep(Bounds *b, const Entry *entry)
{
    b->kept[entry->which]++;
    if (entry->weight == 1) {
        if (b->plain[entry->which] < ARK)
            b->plain[entry->which]++;
        else
            b->again -= 1;
        return;
    }
    for (int n = 0; n < MOST_SHAPES && entry->tag.size; n++) {
        if (!b->times[n] || !is_same_piece(b->shapes[n], entry->tag))
            continue;
        if (b->times[n] < ARK)
            b->times[n]++;
        else
            b->again -= entry->weight;
        return;
    }
    b->shapes[b->next_shape] = entry->tag;
    b->times[b->next_shape] = 1;
    b->next_shape = (b->next_shape + 1) % MOST_SHAPES;
}

/* Its end tag ends one of its name, the last of those that are open: of two, only one. */
static void is_over(Bounds *b, const Entry *entry)
{
    if (b->kept[entry->which] == entry->kept)
        b->again -= entry->weight;
    else
        keep(b, entry);
}

static void shut(Bounds *b, int depth, int is_cleared)
{
    while (b->depth > depth) {
        const Entry *entry = &b->open[--b->depth];
        if (entry->kind == AS_DRAWING)
            b->drawings--;
        if (entry->kind != AS_FORMAT)
            continue;
        b->anchors -= entry->which == 0;
        if (is_cleared)
            b->again -= entry->weight;
        else
            keep(b, entry);
    }
}

static void forget_open(Bounds *b)
{
    shut(b, 0, 0);
}

static void open_entry(Bounds *b, const Entry *entry)
{
    if (b->depth == MOST_ENTRIES)
        forget_open(b);
    b->open[b->depth] = *entry;
    b->open[b->depth++].kept = b->kept[entry->which];
    b->drawings += entry->kind == AS_DRAWING;
    if (entry->kind != AS_FORMAT)
        return;
    b->anchors += entry->which == 0;
    b->again += entry->weight;
    if (entry->weight > b->heaviest)
        b->heaviest = entry->weight;
}

static int has_name(const Entry *entry, Piece name)
{
    return entry->name.size == name.size &&
           (memcmp(entry->name.at, name.at, (size_t)name.size) == 0 ||
            same_letters(entry->name, name));
}

/* A formatting element is over, whatever little is open in it. */
static int end_formatting(Bounds *b, Piece name)
{
    for (int n = b->depth - 1; n >= 0 && b->depth - 1 - n <= MOST_WITHIN; n--) {
        const Entry *entry = &b->open[n];
        if (entry->kind == AS_FORMAT && has_name(entry, name)) {
            int within = b->depth - 1 - n;
            is_over(b, entry);
            b->anchors -= entry->which == 0;
            b->count += within ? PER_NODE * (within + 1) * b->heaviest : 0;
            memmove(&b->open[n], &b->open[n + 1], (size_t)within * sizeof *b->open);
            b->depth--;
            return 1;
        }
        if (entry->kind == AS_TABLE || entry->kind == AS_CELL || entry->kind == AS_PART ||
            entry->kind == AS_DRAWING)
            break;
    }
    return 0;
}

static int innermost_table(const Bounds *b)
{
    for (int n = b->depth - 1; n >= 0; n--)
        if (b->open[n].kind == AS_TABLE)
            return n;
    return -1;
}

/* Close what is open above a place in a table; a cell takes its formatting with it. */
static void shut_in_table(Bounds *b, int depth)
{
    for (int n = depth; n < b->depth; n++)
        if (b->open[n].kind == AS_CELL) {
            shut(b, n, 1);
            break;
        }
    shut(b, depth, 0);
}

/* A row, a cell or another part of a table begins: the cell before it is over, and its like. */
static void next_in_table(Bounds *b, Piece name)
{
    int depth = innermost_table(b) + 1;
    if (depth == 0)
        return;
    while (depth < b->depth && b->open[depth].kind == AS_PART && !has_name(&b->open[depth], name))
        depth++;
    shut_in_table(b, depth);
}

/* How deep the element is that such an end tag surely closes; -1 for none. */
static int closed_by(const Bounds *b, Piece name, int kind)
{
    for (int n = b->depth - 1; n >= 0; n--) {
        const Entry *entry = &b->open[n];
        if (entry->kind != AS_FORMAT && has_name(entry, name))
            return n;
        switch (entry->kind) {
        case AS_FORMAT: case AS_ORDINARY: case AS_PHRASE:
            if (kind == AS_BLOCK || kind == AS_PARAGRAPH || kind == AS_ITEM || kind == AS_TABLE ||
                kind == AS_CELL || kind == AS_PART)
                continue;
            return -1;
        case AS_BLOCK: case AS_PARAGRAPH: case AS_ITEM: case AS_HEADING:
            if (kind == AS_BLOCK || kind == AS_TABLE || kind == AS_CELL || kind == AS_PART)
                continue;
            return -1;
        case AS_CELL: case AS_PART:
            if (kind == AS_TABLE || kind == AS_PART)
                continue;
            return -1;
        default:
            return -1;
        }
    }
    return -1;
}

/* A tag of which something else begins before it seems to end. */
static void doubtful_tag(Bounds *b, Entry *entry, const unsigned char *at)
{
    forget_open(b);
    if (b->runs < 0) {
        b->count += INT64_C(1) << 40;
        return;
    }
    Tag tag = rest_of_tag(at, b->end);
    b->runs -= (tag.end ? tag.end : b->end) - at;
    if (tag.end == NULL)
        return;
    if (tag.end > b->read) {
        b->count += (tag.end - (at > b->read ? at : b->read)) / PER_MARK;
        b->read = tag.end;
    }
    if (entry->kind != AS_FORMAT && entry->kind != AS_MERGED)
        return;
    if (entry->kind == AS_MERGED) {
        b->merged += tag.attributes;
        b->count += b->merged / PER_NODE;
        return;
    }
    entry->weight = 1 + (tag.attributes + PER_NODE - 1) / PER_NODE;
    entry->tag.size = 0;
    open_entry(b, entry);
    forget_open(b);
}

static void end_tag(Bounds *b, Piece name, const unsigned char *at, const unsigned char *limit)
{
    const Entry *top = b->depth ? &b->open[b->depth - 1] : NULL;
    int is_on_top = top != NULL && has_name(top, name);
    int kind = is_on_top ? top->kind : known(name.at, name.size)->kind;
    b->count += 1 + b->again + (kind == AS_PARAGRAPH || kind == AS_VOID);
    Tag tag = rest_of_tag(at, limit);
    b->count += tag.bare / PER_MARK;
    if (tag.end == NULL) {
        Entry entry = {name, {at, 0}, AS_ORDINARY, 0, 0, 0};
        doubtful_tag(b, &entry, at);
        return;
    }
    if (kind == AS_VOID && !b->drawings)
        return;
    if (is_on_top) {
        if (top->kind == AS_FORMAT)
            end_formatting(b, name);
        else
            shut(b, b->depth - 1, 0);
        return;
    }
    b->count++;
    if (kind == AS_FORMAT && !b->drawings) {
        if (end_formatting(b, name))
            return;
        b->count += REPAIR * b->heaviest;
    } else if (!b->drawings) {
        int depth = closed_by(b, name, kind), table = innermost_table(b);
        if (depth >= 0 && (kind == AS_TABLE || kind == AS_CELL || kind == AS_PART)) {
            if (table >= 0 && table <= depth) {
                shut_in_table(b, depth);
                return;
            }
        } else if (depth >= 0) {
            shut(b, depth, 0);
            return;
        }
    }
    forget_open(b);
}

/* Whether the text of an element that may hold nothing else ends with its end tag. */
static int is_only_text(const Bounds *b, Piece name, const unsigned char *limit)
{
    const unsigned char *after = limit + 2 + name.size;
    if (after >= b->end || limit[1] != '/')
        return 0;
    Piece ending = {limit + 2, name.size};
    return same_letters(ending, name) &&
           (*after == '>' || *after == '/' || is_space(*after) || *after == '\r');
}

static void start_tag(Bounds *b, Piece name, const unsigned char *at, const unsigned char *limit)
{
    const Known *like = known(name.at, name.size);
    Tag tag = rest_of_tag(at, limit);
    Entry entry = {name, {name.at, 0}, like->kind, like->which, 0, 0};
    b->count += 2 + b->again + tag.attributes / PER_NODE + tag.bare / PER_MARK;
    if (like->kind == AS_CELL || like->kind == AS_PART || like->kind == AS_VOID)
        b->count += 2;
    if (tag.end == NULL) {
        doubtful_tag(b, &entry, at);
        return;
    }
    if (b->drawings) {
        if (like->kind == AS_RAW || like->kind == AS_ORDINARY || like->kind == AS_DRAWING ||
            (like->kind == AS_FORMAT && like->which == 0)) {
            if (tag.closes_itself)
                return;
            if (like->kind == AS_FORMAT)
                entry.kind = AS_ORDINARY;
        } else
            forget_open(b);
    }
    switch (entry.kind) {
    case AS_VOID:
        return;
    case AS_DOUBT:
        forget_open(b);
        return;
    case AS_MERGED:
        forget_open(b);
        b->merged += tag.attributes;
        b->count += b->merged / PER_NODE;
        return;
    case AS_RAW:
        if (!is_only_text(b, name, limit)) {
            forget_open(b);
            return;
        }
        break;
    case AS_DRAWING:
        if (tag.closes_itself)
            return;
        break;
    case AS_CELL: case AS_PART:
        next_in_table(b, name);
        break;
    case AS_FORMAT:
        entry.weight = 1 + (tag.attributes + PER_NODE - 1) / PER_NODE;
        entry.tag.size = tag.end - name.at;
        if ((like->which == 0 && (b->anchors || b->aside_anchors || b->kept[0])) || (name.size == 4 && (*name.at | 32) == 'n')) {
            b->count += b->again;
            if (!end_formatting(b, name))
                b->count += REPAIR * b->heaviest;
        }
    }
    open_entry(b, &entry);
}

/* A comment with tags in it. If anything that is open is real, so is the comment, and nothing in it
 * counts; if nothing is, nothing is lost. So what is open waits until it is over. */
static void set_aside(Bounds *b, const unsigned char *at)
{
    const unsigned char *close = at;
    if (!b->depth)
        return;
    while (b->aside_until == NULL && b->runs >= 0 && close < b->end) {
        const unsigned char *found = memchr(close, '>', (size_t)(b->end - close));
        b->runs -= (found ? found : b->end) - close;
        if (found == NULL)
            break;
        close = found + 1;
        if (found - at >= 2 && found[-1] == '-' && found[-2] == '-') {
            memcpy(b->aside, b->open, (size_t)b->depth * sizeof *b->open);
            b->aside_depth = b->depth;
            b->aside_drawings = b->drawings;
            b->aside_anchors = b->anchors;
            b->aside_until = close;
            b->depth = b->drawings = b->anchors = 0;
            return;
        }
        if (found - at >= 3 && memcmp(found - 3, "--!", 3) == 0)
            break;
    }
    forget_open(b);
}

static void take_back(Bounds *b)
{
    forget_open(b);
    memcpy(b->open, b->aside, (size_t)b->aside_depth * sizeof *b->open);
    b->depth = b->aside_depth;
    b->drawings = b->aside_drawings;
    b->anchors = b->aside_anchors;
    b->aside_anchors = 0;
    b->aside_until = NULL;
}

/* A comment, a doctype, an instruction, or what is taken for one. */
static void comment(Bounds *b, const unsigned char *at, const unsigned char *limit)
{
    b->count += 2 + b->again;
    const unsigned char *close = memchr(at, '>', (size_t)(limit - at));
    if (close != NULL && *at != '[') {
        if (limit - at < 3 || memcmp(at, "!--", 3) != 0) {
            if (*at != '!' || at[1] != '[')
                return;
        } else if (close - at >= 5 && close[-1] == '-' && close[-2] == '-')
            return;
    }
    if (b->end - at >= 5 && memcmp(at, "!--", 3) == 0 && at[3] != '>' && at[3] != '-')
        set_aside(b, at + 3);
    else
        forget_open(b);
}

static void piece_of_markup(Bounds *b, const unsigned char *at, const unsigned char *limit)
{
    if (b->aside_until != NULL && at > b->aside_until)
        take_back(b);
    int ends = at < limit && *at == '/';
    const unsigned char *name = at + ends, *after = name;
    if (name == limit || !is_letter(*name)) {
        if (ends || (at < limit && (*at == '!' || *at == '?')))
            comment(b, at, limit);
        else
            b->count++;
        return;
    }
    int is_plain = 1;
    while (after < limit && (!IN_TAGS[*after] || *after == '=')) {
        is_plain &= *after < 0x80 && *after != 0;
        after++;
    }
    Piece found = {name, after - name};
    if (after == limit || !is_plain) {
        b->count += 2 + b->again;
        forget_open(b);
    } else if (ends)
        end_tag(b, found, after, limit);
    else
        start_tag(b, found, after, limit);
}

static PyObject *tree_bound(PyObject *module, PyObject *body)
{
    (void)module;
    if (!PyBytes_CheckExact(body)) {
        PyErr_SetString(PyExc_TypeError, "a body is bytes");
        return NULL;
    }
    const unsigned char *at = (const unsigned char *)PyBytes_AS_STRING(body);
    Py_ssize_t size = PyBytes_GET_SIZE(body);
    Bounds *b = PyMem_Calloc(1, sizeof *b);
    if (b == NULL)
        return PyErr_NoMemory();
    const unsigned char *end = b->end = at + size;
    b->read = at;
    b->heaviest = 1;
    b->runs = (int64_t)size * MOST_RUNS;
    int64_t zeros = 0;
    for (const unsigned char *z = at; (z = memchr(z, 0, (size_t)(end - z))) != NULL; z++)
        zeros++;
    b->count = 4 + zeros / PER_NODE;
    at = memchr(at, '<', (size_t)(end - at));
    while (at != NULL) {
        const unsigned char *next = memchr(at + 1, '<', (size_t)(end - at - 1));
        piece_of_markup(b, at + 1, next ? next : end);
        at = next;
    }
    int64_t count = b->count;
    PyMem_Free(b);
    return PyLong_FromLongLong(count);
}
