/* Which elements and attributes are there, and what are the rules for them? */

enum {
    UNKNOWN, A, ADDRESS, AREA, ARTICLE, ASIDE, B, BASE, BIG, BLOCKQUOTE, BODY, BR, BUTTON, CAPTION,
    CENTER, CODE, COL, COLGROUP, DD, DESC, DETAILS, DIALOG, DIR, DIV, DL, DT, EM, EMBED, FIELDSET,
    FIGCAPTION, FIGURE, FONT, FOOTER, FORM, H1, H2, H3, H4, H5, H6, HEAD, HEADER, HGROUP, HR, HTML,
    I, IFRAME, IMG, INPUT, LABEL, LI, LINK, MAIN, MENU, META, NAV, NOBR, NOSCRIPT, OBJECT, OL,
    OPTGROUP, OPTION, P, PARAM, PRE, RP, RT, RUBY, S, SCRIPT, SECTION, SELECT, SMALL, SOURCE,
    SPAN, STRIKE, STRONG, STYLE, SUB, SUMMARY, SUP, SVG, TABLE, TBODY, TD, TEXTAREA, TFOOT, TH,
    THEAD, TIME, TITLE, TR, TRACK, TT, U, UL, VAR, WBR, BEYOND, NAMES
};

#define SPECIAL 1     /* where the search for an element to close ends */
#define FORMATTING 2  /* opened again in what follows, if not closed in order */
#define BLOCK 4       /* its start ends a paragraph, its end may close others */
#define VOID 8
#define IMPLIED 16    /* needs no end tag */
#define SCOPE 32      /* nothing beyond it is closed from within */
#define TABLED 64     /* part of a table */
#define LAYOUT 128    /* what a page's frame is built of */
#define UNSEEN 256
#define SPAN_OF 512   /* where its text begins and ends is told */
#define DRAWN 1024    /* may stand in a drawing, and is none of HTML's there */

typedef struct {
    const char *name;
    int id;
    int flags;
} Name;

static const Name NAME_LIST[] = {
    {"a", A, FORMATTING}, {"address", ADDRESS, SPECIAL | BLOCK}, {"area", AREA, SPECIAL | VOID},
    {"article", ARTICLE, SPECIAL | BLOCK | SPAN_OF},
    {"aside", ASIDE, SPECIAL | BLOCK | SPAN_OF}, {"b", B, FORMATTING},
    {"base", BASE, SPECIAL | VOID}, {"big", BIG, FORMATTING},
    {"blockquote", BLOCKQUOTE, SPECIAL | BLOCK}, {"body", BODY, SPECIAL},
    {"br", BR, SPECIAL | VOID}, {"button", BUTTON, SPECIAL},
    {"caption", CAPTION, SPECIAL | SCOPE | TABLED},
    {"center", CENTER, SPECIAL | BLOCK | LAYOUT}, {"code", CODE, FORMATTING},
    {"col", COL, SPECIAL | VOID | TABLED}, {"colgroup", COLGROUP, SPECIAL | TABLED},
    {"dd", DD, SPECIAL | IMPLIED}, {"desc", DESC, DRAWN}, {"details", DETAILS, SPECIAL | BLOCK},
    {"dialog", DIALOG, BLOCK}, {"dir", DIR, SPECIAL | BLOCK},
    {"div", DIV, SPECIAL | BLOCK | LAYOUT}, {"dl", DL, SPECIAL | BLOCK},
    {"dt", DT, SPECIAL | IMPLIED}, {"em", EM, FORMATTING}, {"embed", EMBED, SPECIAL | VOID},
    {"fieldset", FIELDSET, SPECIAL | BLOCK}, {"figcaption", FIGCAPTION, SPECIAL | BLOCK},
    {"figure", FIGURE, SPECIAL | BLOCK}, {"font", FONT, FORMATTING},
    {"footer", FOOTER, SPECIAL | BLOCK | SPAN_OF}, {"form", FORM, SPECIAL | LAYOUT},
    {"h1", H1, SPECIAL}, {"h2", H2, SPECIAL}, {"h3", H3, SPECIAL}, {"h4", H4, SPECIAL},
    {"h5", H5, SPECIAL}, {"h6", H6, SPECIAL}, {"head", HEAD, SPECIAL},
    {"header", HEADER, SPECIAL | BLOCK | SPAN_OF}, {"hgroup", HGROUP, SPECIAL | BLOCK},
    {"hr", HR, SPECIAL | VOID}, {"html", HTML, SPECIAL | SCOPE}, {"i", I, FORMATTING},
    {"iframe", IFRAME, SPECIAL | UNSEEN}, {"img", IMG, SPECIAL | VOID},
    {"input", INPUT, SPECIAL | VOID}, {"label", LABEL, 0}, {"li", LI, SPECIAL | IMPLIED},
    {"link", LINK, SPECIAL | VOID}, {"main", MAIN, SPECIAL | BLOCK | SPAN_OF},
    {"menu", MENU, SPECIAL | BLOCK}, {"meta", META, SPECIAL | VOID},
    {"nav", NAV, SPECIAL | BLOCK | SPAN_OF}, {"nobr", NOBR, FORMATTING},
    {"noscript", NOSCRIPT, SPECIAL | UNSEEN}, {"object", OBJECT, SPECIAL | SCOPE},
    {"ol", OL, SPECIAL | BLOCK}, {"optgroup", OPTGROUP, IMPLIED}, {"option", OPTION, IMPLIED},
    {"p", P, SPECIAL | BLOCK | IMPLIED}, {"param", PARAM, SPECIAL | VOID},
    {"pre", PRE, SPECIAL | BLOCK}, {"rp", RP, IMPLIED}, {"rt", RT, IMPLIED}, {"ruby", RUBY, 0},
    {"s", S, FORMATTING}, {"script", SCRIPT, SPECIAL | UNSEEN},
    {"section", SECTION, SPECIAL | BLOCK | LAYOUT}, {"select", SELECT, SPECIAL},
    {"small", SMALL, FORMATTING}, {"source", SOURCE, SPECIAL | VOID}, {"span", SPAN, 0},
    {"strike", STRIKE, FORMATTING}, {"strong", STRONG, FORMATTING},
    {"style", STYLE, SPECIAL | UNSEEN | DRAWN}, {"sub", SUB, 0},
    {"summary", SUMMARY, SPECIAL | BLOCK}, {"sup", SUP, 0}, {"svg", SVG, 0},
    {"table", TABLE, SPECIAL | SCOPE | TABLED | LAYOUT},
    {"tbody", TBODY, SPECIAL | TABLED | LAYOUT}, {"td", TD, SPECIAL | SCOPE | TABLED | LAYOUT},
    {"textarea", TEXTAREA, SPECIAL}, {"tfoot", TFOOT, SPECIAL | TABLED},
    {"th", TH, SPECIAL | SCOPE | TABLED}, {"thead", THEAD, SPECIAL | TABLED},
    {"time", TIME, 0}, {"title", TITLE, SPECIAL | DRAWN},
    {"tr", TR, SPECIAL | TABLED | LAYOUT}, {"track", TRACK, SPECIAL | VOID}, {"tt", TT, FORMATTING},
    {"u", U, FORMATTING}, {"ul", UL, SPECIAL | BLOCK | LAYOUT}, {"var", VAR, 0},
    {"wbr", WBR, SPECIAL | VOID},
    /* What the tree is asked about: rare, or with rules of its own. */
    {"applet", BEYOND, 0}, {"basefont", BEYOND, 0}, {"bgsound", BEYOND, 0}, {"frame", BEYOND, 0},
    {"frameset", BEYOND, 0}, {"image", BEYOND, 0}, {"isindex", BEYOND, 0}, {"keygen", BEYOND, 0},
    {"listing", BEYOND, 0}, {"marquee", BEYOND, 0}, {"math", BEYOND, 0}, {"menuitem", BEYOND, 0},
    {"noembed", BEYOND, 0}, {"noframes", BEYOND, 0}, {"plaintext", BEYOND, 0}, {"rb", BEYOND, 0},
    {"rtc", BEYOND, 0}, {"search", BEYOND, 0}, {"template", BEYOND, 0}, {"xmp", BEYOND, 0},
    {"selectedcontent", BEYOND, 0},
};
#define NAME_COUNT ((int)(sizeof NAME_LIST / sizeof *NAME_LIST))
#define SLOTS 512

typedef struct {
    uint64_t low, high; /* of its key */
    int place;          /* in NAME_LIST, or -1 */
} Slot;

static Slot SLOT_LIST[SLOTS];
static PyObject *TAG_NAMES[NAMES]; /* Python's strings for them */

#define LONGEST_NAME 15

/* A name of at most so many letters, lower case: the first 8 of them, and the others. */
typedef struct {
    uint64_t low, high;
} Key;

static Key key_of(const unsigned char *at, Py_ssize_t size)
{
    Key key = {0, 0};
    for (Py_ssize_t n = 0; n < size; n++) {
        uint64_t letter = at[n] >= 'A' && at[n] <= 'Z' ? at[n] | 32 : at[n];
        if (n < 8)
            key.low |= letter << 8 * n;
        else
            key.high |= letter << 8 * (n - 8);
    }
    return key;
}

static unsigned slot_of(Key key)
{
    uint64_t mixed = (key.low ^ key.high * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    return (unsigned)(mixed >> 40) % SLOTS;
}

static const Name *named(Key key)
{
    for (unsigned slot = slot_of(key);; slot = (slot + 1) % SLOTS) {
        if (SLOT_LIST[slot].place < 0)
            return NULL;
        if (SLOT_LIST[slot].low == key.low && SLOT_LIST[slot].high == key.high)
            return &NAME_LIST[SLOT_LIST[slot].place];
    }
}

/* Attributes that somebody asks for. */
enum {
    CLASS, CONTENT, DATETIME, HIDDEN, HREF, HTTP_EQUIV, ID, ITEMPROP, LANG, NAME, PROPERTY,
    PUBDATE, REL, ROLE, TYPE, XML_LANG, ATTRIBUTES
};
static const char *const ATTRIBUTE_LIST[ATTRIBUTES] = {
    "class", "content", "datetime", "hidden", "href", "http-equiv", "id", "itemprop", "lang",
    "name", "property", "pubdate", "rel", "role", "type", "xml:lang",
};
static Key ATTRIBUTE_KEYS[ATTRIBUTES];
static PyObject *ATTRIBUTE_NAMES[ATTRIBUTES];

/* Once, before anything is looked up. */
static int fill_names(void)
{
    for (int n = 0; n < SLOTS; n++)
        SLOT_LIST[n].place = -1;
    for (int n = 0; n < NAME_COUNT; n++) {
        const Name *name = &NAME_LIST[n];
        Key key = key_of((const unsigned char *)name->name, (Py_ssize_t)strlen(name->name));
        unsigned slot = slot_of(key);
        while (SLOT_LIST[slot].place >= 0)
            slot = (slot + 1) % SLOTS;
        SLOT_LIST[slot].low = key.low;
        SLOT_LIST[slot].high = key.high;
        SLOT_LIST[slot].place = n;
        if (name->id != BEYOND && TAG_NAMES[name->id] == NULL) {
            TAG_NAMES[name->id] = PyUnicode_InternFromString(name->name);
            if (TAG_NAMES[name->id] == NULL)
                return -1;
        }
    }
    for (int n = 0; n < ATTRIBUTES; n++) {
        const char *name = ATTRIBUTE_LIST[n];
        ATTRIBUTE_KEYS[n] = key_of((const unsigned char *)name, (Py_ssize_t)strlen(name));
        ATTRIBUTE_NAMES[n] = PyUnicode_InternFromString(ATTRIBUTE_LIST[n]);
        if (ATTRIBUTE_NAMES[n] == NULL)
            return -1;
    }
    return 0;
}
