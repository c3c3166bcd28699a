/* What is known at any moment of a pass over a page? */

#define MOST_OPEN 120 /* elements */
#define DEEPEST (MOST_ANCESTORS - 3) /* of what is asked for its ancestors: so many are looked at */
#define MOST_FORMATTING 48
#define MOST_HELD 16 /* in a template */
#define MOST_COMPARED 24 /* attributes of a tag */
#define MOST_RECORDS 1024
#define MOST_LISTED 10000 /* a page that has more gains nothing by being read without a tree */
#define MOST_ABOVE_BODY ((FIRST_NODES - 3) / 2) /* comments, between head and body, texts, too */
#define LONGEST_ENTITY 32
#define LONGEST_UNENDED 6 /* that needs no semicolon: &frac12 */

typedef struct {
    const unsigned char *at;
    Py_ssize_t size;
} Piece;

typedef struct {
    int id;
    int flags;
    Piece name; /* of one that is unknown */
    uint32_t sum; /* of that name: few names have the same */
    int record; /* -1 for none */
    int nodes;  /* children that are not cut out as unseen */
    int foreign;
    int level;   /* 0 for the body; an adoption may have left it nearer to that */
    int deepest; /* level of what is asked for its ancestors and lies in it, or 0 */
    int serial;
} Open;

/* A formatting element that is opened again in what follows it. */
typedef struct {
    int id; /* or MARKER */
    int serial;
    int is_open, is_marked;
    const Name *name;
    const unsigned char *token; /* its attributes, */
    Py_ssize_t size;            /* and how many bytes they have */
} Formatting;

#define MARKER (-1)

typedef struct {
    int id;
    Py_ssize_t start, end;
    int last; /* records up to here, from its own on, are inside it */
    int level; /* 1 for a child of the body, 2 for a child of such a child */
    int nodes; /* children that are not cut out as unseen */
    int role, hidden, in_section;
    int unseen; /* lies in something that is never shown */
    int is_layout, is_framed;
    int is_cut; /* see main_text.c */
} Record;

enum { NO_ROLE, MAIN_ROLE, LANDMARK_ROLE };

/* What belongs to the module, and so to one interpreter. */
typedef struct {
    PyObject *tags[MOST_NAMES]; /* Python's strings for them */
    PyObject *attributes[ATTRIBUTES_COUNT];
    PyObject *entities; /* html.entities.html5, once one is needed */
} State;

typedef struct {
    State *state;
    const unsigned char *p, *end;
    Open open[MOST_OPEN];
    int depth, serials;
    Formatting list[MOST_FORMATTING];
    int listed;
    Py_ssize_t budget; /* bytes that may be read a second time */
    Py_ssize_t tags;   /* and comments, in templates, too */
    Py_ssize_t merged; /* tags whose attributes are added to those of the first */
    Record *records;
    int count, room;
    unsigned char *text;
    Py_ssize_t size, most;
    uint32_t *nodes; /* where each text node begins */
    Py_ssize_t node_count, node_room;
    int in_text;      /* the next character goes into the same text node */
    int drop_newline; /* right behind <pre> */
    int unseen;       /* open elements that nobody sees */
    int selects;      /* open ones */
    int seen_doctype, seen_html, seen_head, in_head, head_over, in_body, body_over;
    int in_head_noscript;
    int form; /* serial of the page's form, or 0 */
    int is_modern, has_title;
    int scripts, metas, times, conditional, dated, titles, above_body;
    Piece attribute[ATTRIBUTES_COUNT];
    unsigned char has[ATTRIBUTES_COUNT]; /* 1: there, 2: with references in it */
    PyObject *found, *hrefs, *rels, *area_rels;
    unsigned char *scratch, *mended;
} Scan;

/* What a step answers. FAILED: Python has an exception set. ENDED: the page ends in what was begun,
 * which is none, then. */
enum { FINE, UNSURE, FAILED, ENDED };

#define CHECK(step)                \
    do {                           \
        int answer_ = (step);      \
        if (answer_ != FINE)       \
            return answer_;        \
    } while (0)

/* What a byte may end in a tag: asked of every byte of its names. */
enum { SPACE = 1, ENDS_NAME = 2, ENDS_ATTRIBUTE = 4, ENDS_VALUE = 8 };

static const unsigned char ENDING[256] = {
    [' '] = SPACE | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE,
    ['\n'] = SPACE | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE,
    ['\t'] = SPACE | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE,
    ['\f'] = SPACE | ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE,
    ['/'] = ENDS_NAME | ENDS_ATTRIBUTE,
    ['>'] = ENDS_NAME | ENDS_ATTRIBUTE | ENDS_VALUE,
    ['='] = ENDS_ATTRIBUTE,
};

static int is_space(unsigned char c)
{
    return ENDING[c] & SPACE;
}

static int is_letter(unsigned char c)
{
    c |= 32;
    return c >= 'a' && c <= 'z';
}

static int is_alphanumeric(unsigned char c)
{
    return is_letter(c) || (c >= '0' && c <= '9');
}

static int is_blank(const unsigned char *at, const unsigned char *end)
{
    while (at < end && is_space(*at))
        at++;
    return at == end;
}

static int is_ascii(Piece piece)
{
    for (Py_ssize_t n = 0; n < piece.size; n++)
        if (piece.at[n] >= 0x80)
            return 0;
    return 1;
}

static unsigned char lower(unsigned char c)
{
    return c >= 'A' && c <= 'Z' ? c | 32 : c;
}

static uint32_t sum_of(Piece name)
{
    uint32_t sum = 0x811C9DC5u;
    for (Py_ssize_t n = 0; n < name.size; n++)
        sum = (sum ^ lower(name.at[n])) * 0x01000193u;
    return sum;
}

static int same_letters(Piece one, Piece other)
{
    if (one.size != other.size)
        return 0;
    for (Py_ssize_t n = 0; n < one.size; n++)
        if (lower(one.at[n]) != lower(other.at[n]))
            return 0;
    return 1;
}
