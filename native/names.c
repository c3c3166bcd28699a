/* Which elements and attributes are there, and what are the rules for them? */

enum {
    UNKNOWN, A, ADDRESS, APPLET, AREA, ARTICLE, ASIDE, B, BASE, BIG, BLOCKQUOTE, BODY, BR,
    BUTTON, CAPTION, CENTER, CODE, COL, COLGROUP, DD, DESC, DETAILS, DIALOG, DIR, DIV, DL, DT,
    EM, EMBED, FIELDSET, FIGCAPTION, FIGURE, FONT, FOOTER, FORM, H1, H2, H3, H4, H5, H6, HEAD,
    HEADER, HGROUP, HR, HTML, I, IFRAME, IMAGE, IMG, INPUT, LABEL, LI, LINK, MAIN, MARQUEE,
    MENU, META, NAV, NOBR, NOEMBED, NOFRAMES, NOSCRIPT, OBJECT, OL, OPTGROUP, OPTION, P, PARAM,
    PRE, RP, RT, RUBY, S, SCRIPT, SEARCH, SECTION, SELECT, SMALL, SOURCE, SPAN, STRIKE, STRONG,
    STYLE, SUB, SUMMARY, SUP, SVG, TABLE, TBODY, TD, TEMPLATE, TEXTAREA, TFOOT, TH, THEAD,
    TIME, TITLE, TR, TRACK, TT, U, UL, VAR, WBR, XMP, BEYOND, NAMES
};
/* Tags that only rules.h knows come behind those: elements without rules of their own. */
#define MOST_NAMES (NAMES + LISTED_COUNT + LISTED_WITH_TAGS_COUNT)

#define SPECIAL 1     /* where the search for an element to close ends */
#define FORMATTING 2  /* opened again in what follows, if not closed in order */
#define BLOCK 4       /* its start ends a paragraph, its end may close others */
#define VOID 8
#define IMPLIED 16    /* needs no end tag */
#define SCOPE 32      /* nothing beyond it is closed from within */
#define TABLED 64     /* part of a table */
#define SPAN_OF 128   /* where its text begins and ends is told */
#define DRAWN 256     /* may stand in a drawing, and is none of HTML's there */
#define BREAKS 16384  /* ends a drawing, where it stands in one */
/* As rules.h has it: */
#define LAYOUT 512    /* what a page's frame is built of */
#define UNSEEN 1024
#define OWN_SECTION 2048
#define LISTED_ALWAYS 4096
#define LISTED_IF 8192 /* if it has a certain attribute */

typedef struct {
    const char *name;
    int id;
    int flags;
} Name;

static const Name NAMES_OF_HTML[] = {
    {"a", A, FORMATTING}, {"address", ADDRESS, SPECIAL | BLOCK},
    {"applet", APPLET, SPECIAL | SCOPE}, {"area", AREA, SPECIAL | VOID},
    {"article", ARTICLE, SPECIAL | BLOCK | SPAN_OF}, {"aside", ASIDE, SPECIAL | BLOCK | SPAN_OF},
    {"b", B, FORMATTING | BREAKS}, {"base", BASE, SPECIAL | VOID},
    {"big", BIG, FORMATTING | BREAKS}, {"blockquote", BLOCKQUOTE, SPECIAL | BLOCK | BREAKS},
    {"body", BODY, SPECIAL | BREAKS}, {"br", BR, SPECIAL | VOID | BREAKS},
    {"button", BUTTON, SPECIAL}, {"caption", CAPTION, SPECIAL | SCOPE | TABLED},
    {"center", CENTER, SPECIAL | BLOCK | BREAKS}, {"code", CODE, FORMATTING | BREAKS},
    {"col", COL, SPECIAL | VOID | TABLED}, {"colgroup", COLGROUP, SPECIAL | TABLED},
    {"dd", DD, SPECIAL | IMPLIED | BREAKS}, {"desc", DESC, DRAWN},
    {"details", DETAILS, SPECIAL | BLOCK}, {"dialog", DIALOG, BLOCK}, {"dir", DIR, SPECIAL | BLOCK},
    {"div", DIV, SPECIAL | BLOCK | BREAKS}, {"dl", DL, SPECIAL | BLOCK | BREAKS},
    {"dt", DT, SPECIAL | IMPLIED | BREAKS}, {"em", EM, FORMATTING | BREAKS},
    {"embed", EMBED, SPECIAL | VOID | BREAKS}, {"fieldset", FIELDSET, SPECIAL | BLOCK},
    {"figcaption", FIGCAPTION, SPECIAL | BLOCK}, {"figure", FIGURE, SPECIAL | BLOCK},
    {"font", FONT, FORMATTING}, {"footer", FOOTER, SPECIAL | BLOCK | SPAN_OF},
    {"form", FORM, SPECIAL}, {"h1", H1, SPECIAL | BREAKS}, {"h2", H2, SPECIAL | BREAKS},
    {"h3", H3, SPECIAL | BREAKS}, {"h4", H4, SPECIAL | BREAKS}, {"h5", H5, SPECIAL | BREAKS},
    {"h6", H6, SPECIAL | BREAKS}, {"head", HEAD, SPECIAL | BREAKS},
    {"header", HEADER, SPECIAL | BLOCK | SPAN_OF}, {"hgroup", HGROUP, SPECIAL | BLOCK},
    {"hr", HR, SPECIAL | VOID | BREAKS}, {"html", HTML, SPECIAL | SCOPE},
    {"i", I, FORMATTING | BREAKS}, {"iframe", IFRAME, SPECIAL},
    {"image", IMAGE, SPECIAL | VOID | DRAWN}, {"img", IMG, SPECIAL | VOID | BREAKS},
    {"input", INPUT, SPECIAL | VOID}, {"label", LABEL, 0}, {"li", LI, SPECIAL | IMPLIED | BREAKS},
    {"link", LINK, SPECIAL | VOID}, {"main", MAIN, SPECIAL | BLOCK | SPAN_OF},
    {"marquee", MARQUEE, SPECIAL | SCOPE}, {"menu", MENU, SPECIAL | BLOCK | BREAKS},
    {"meta", META, SPECIAL | VOID | BREAKS}, {"nav", NAV, SPECIAL | BLOCK | SPAN_OF},
    {"nobr", NOBR, FORMATTING | BREAKS}, {"noembed", NOEMBED, SPECIAL},
    {"noframes", NOFRAMES, SPECIAL}, {"noscript", NOSCRIPT, SPECIAL},
    {"object", OBJECT, SPECIAL | SCOPE}, {"ol", OL, SPECIAL | BLOCK | BREAKS},
    {"optgroup", OPTGROUP, IMPLIED}, {"option", OPTION, IMPLIED},
    {"p", P, SPECIAL | BLOCK | IMPLIED | BREAKS}, {"param", PARAM, SPECIAL | VOID},
    {"pre", PRE, SPECIAL | BLOCK | BREAKS}, {"rp", RP, IMPLIED}, {"rt", RT, IMPLIED},
    {"ruby", RUBY, BREAKS}, {"s", S, FORMATTING | BREAKS}, {"script", SCRIPT, SPECIAL},
    {"search", SEARCH, SPECIAL | BLOCK}, {"section", SECTION, SPECIAL | BLOCK},
    {"select", SELECT, SPECIAL}, {"small", SMALL, FORMATTING | BREAKS},
    {"source", SOURCE, SPECIAL | VOID}, {"span", SPAN, BREAKS},
    {"strike", STRIKE, FORMATTING | BREAKS}, {"strong", STRONG, FORMATTING | BREAKS},
    {"style", STYLE, SPECIAL | DRAWN}, {"sub", SUB, BREAKS}, {"summary", SUMMARY, SPECIAL | BLOCK},
    {"sup", SUP, BREAKS}, {"svg", SVG, 0}, {"table", TABLE, SPECIAL | SCOPE | TABLED | BREAKS},
    {"tbody", TBODY, SPECIAL | TABLED}, {"td", TD, SPECIAL | SCOPE | TABLED},
    {"template", TEMPLATE, SPECIAL | SCOPE}, {"textarea", TEXTAREA, SPECIAL},
    {"tfoot", TFOOT, SPECIAL | TABLED}, {"th", TH, SPECIAL | SCOPE | TABLED},
    {"thead", THEAD, SPECIAL | TABLED}, {"time", TIME, 0}, {"title", TITLE, SPECIAL | DRAWN},
    {"tr", TR, SPECIAL | TABLED}, {"track", TRACK, SPECIAL | VOID}, {"tt", TT, FORMATTING | BREAKS},
    {"u", U, FORMATTING | BREAKS}, {"ul", UL, SPECIAL | BLOCK | BREAKS}, {"var", VAR, BREAKS},
    {"wbr", WBR, SPECIAL | VOID}, {"xmp", XMP, SPECIAL},
    /* What the tree is asked about: rare, or with rules of its own. */
    {"basefont", BEYOND, 0}, {"bgsound", BEYOND, 0}, {"frame", BEYOND, 0}, {"frameset", BEYOND, 0},
    {"isindex", BEYOND, 0}, {"keygen", BEYOND, 0}, {"listing", BEYOND, 0}, {"math", BEYOND, 0},
    {"menuitem", BEYOND, 0}, {"plaintext", BEYOND, 0}, {"rb", BEYOND, 0}, {"rtc", BEYOND, 0},
    {"selectedcontent", BEYOND, 0},
};
#define COUNT_OF(list) ((int)(sizeof(list) / sizeof *(list)))
#define SLOTS 512

typedef struct {
    uint64_t low, high; /* of its key */
    int place;          /* in NAME_LIST, or -1 */
} Slot;

static Name NAME_LIST[COUNT_OF(NAMES_OF_HTML) + MOST_NAMES - NAMES];
static int NAME_COUNT;
static Slot SLOT_LIST[SLOTS];

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

static Key key_of_text(const char *text)
{
    return key_of((const unsigned char *)text, (Py_ssize_t)strlen(text));
}

static int same_key(Key one, Key other)
{
    return one.low == other.low && one.high == other.high;
}

static unsigned slot_of(Key key)
{
    uint64_t mixed = (key.low ^ key.high * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u;
    return (unsigned)(mixed >> 40) % SLOTS;
}

static Name *named(Key key)
{
    for (unsigned slot = slot_of(key);; slot = (slot + 1) % SLOTS) {
        if (SLOT_LIST[slot].place < 0)
            return NULL;
        if (SLOT_LIST[slot].low == key.low && SLOT_LIST[slot].high == key.high)
            return &NAME_LIST[SLOT_LIST[slot].place];
    }
}

static Key ATTRIBUTE_KEYS[ATTRIBUTES_COUNT];
static Key FRAME_KEYS[FRAME_NAMES_COUNT];
static Key ROLE_KEYS[LANDMARK_ROLES_COUNT];
static int IF_ATTRIBUTE[MOST_NAMES]; /* which one a tag is listed for */

/* By its first letter, of which lengths there is one that is asked for: few are. */
static uint32_t ATTRIBUTE_SIZES[32];

static int which_attribute(const unsigned char *at, Py_ssize_t size)
{
    if (size > LONGEST_NAME || !(ATTRIBUTE_SIZES[*at & 31] >> size & 1))
        return -1;
    Key key = key_of(at, size);
    for (int which = 0; which < ATTRIBUTES_COUNT; which++)
        if (same_key(ATTRIBUTE_KEYS[which], key))
            return which;
    return -1;
}

static void add_name(Name name)
{
    Key key = key_of_text(name.name);
    unsigned slot = slot_of(key);
    while (SLOT_LIST[slot].place >= 0)
        slot = (slot + 1) % SLOTS;
    SLOT_LIST[slot].low = key.low;
    SLOT_LIST[slot].high = key.high;
    SLOT_LIST[slot].place = NAME_COUNT;
    NAME_LIST[NAME_COUNT++] = name;
}

/* The one of that name, which may be new. */
static Name *ruled(const char *text)
{
    Name *name = named(key_of_text(text));
    if (name == NULL) {
        Name new = {text, NAMES + NAME_COUNT - COUNT_OF(NAMES_OF_HTML), 0};
        add_name(new);
        name = named(key_of_text(text));
    }
    return name;
}

static void flag(const char *const *names, int count, int flags)
{
    for (int n = 0; n < count; n++)
        ruled(names[n])->flags |= flags;
}

static void fill_keys(Key *keys, const char *const *names, int count)
{
    for (int n = 0; n < count; n++)
        keys[n] = key_of_text(names[n]);
}

/* Before anything is looked up; a second time is as good as the first. */
static void fill_names(void)
{
    NAME_COUNT = 0;
    for (int n = 0; n < SLOTS; n++)
        SLOT_LIST[n].place = -1;
    for (int n = 0; n < COUNT_OF(NAMES_OF_HTML); n++)
        add_name(NAMES_OF_HTML[n]);
    fill_keys(ATTRIBUTE_KEYS, ATTRIBUTES, ATTRIBUTES_COUNT);
    for (int n = 0; n < ATTRIBUTES_COUNT; n++)
        ATTRIBUTE_SIZES[ATTRIBUTES[n][0] & 31] |= 1u << strlen(ATTRIBUTES[n]);
    fill_keys(FRAME_KEYS, FRAME_NAMES, FRAME_NAMES_COUNT);
    fill_keys(ROLE_KEYS, LANDMARK_ROLES, LANDMARK_ROLES_COUNT);
    flag(UNSEEN_TAGS, UNSEEN_TAGS_COUNT, UNSEEN);
    flag(LAYOUT_TAGS, LAYOUT_TAGS_COUNT, LAYOUT);
    flag(OWN_SECTIONS, OWN_SECTIONS_COUNT, OWN_SECTION);
    flag(LISTED, LISTED_COUNT, LISTED_ALWAYS);
    flag(LISTED_WITH_TAGS, LISTED_WITH_TAGS_COUNT, LISTED_IF);
    for (int n = 0; n < LISTED_WITH_TAGS_COUNT; n++) {
        const char *wanted = LISTED_WITH_ATTRIBUTES[n];
        IF_ATTRIBUTE[ruled(LISTED_WITH_TAGS[n])->id] =
            which_attribute((const unsigned char *)wanted, (Py_ssize_t)strlen(wanted));
    }
}
