/* Does a page's source look as if it sold something? What for_sale.py and needles.py say in Python;
 * a test holds the two together. */

#define TAG_LOOKED_BACK 300
#define PRICES_LOOKED_AT 500
#define LONGEST_KEY 40

enum { NOWHERE, IN_TEXT, IN_MARKUP, AS_A_PRICE };
enum { NOT_TOLD, BY_OPEN_GRAPH, BY_SCHEMA };

static int is_white(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_of_a_name(unsigned char c)
{
    return (LOWER[c] >= 'a' && LOWER[c] <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static int ends_with(const unsigned char *start, const unsigned char *p, const char *word)
{
    Py_ssize_t size = (Py_ssize_t)strlen(word);
    return p - start >= size && memcmp(p - size, word, (size_t)size) == 0;
}

/* Whether a key of a script goes on and ends here: ...s" : */
static int is_key(const unsigned char *p, const unsigned char *end)
{
    for (int left = LONGEST_KEY; left > 0 && p < end && is_of_a_name(*p); left--)
        p++;
    if (p == end || (*p != '"' && *p != '\''))
        return 0;
    for (p++; p < end && is_white(*p); p++)
        ;
    return p < end && *p == ':';
}

static int is_in_tag(const unsigned char *start, const unsigned char *p)
{
    int has_value = 0;
    for (const unsigned char *q = p; q-- > start;) {
        if (*q == '<')
            return has_value;
        if (*q == '>')
            return 0;
        has_value |= *q == '=';
    }
    return 0;
}

/* Whether a word may begin at one of so many places: its first, its rarest and its last letter stand where
 * they have to. Written so that the compiler asks for many places at once. */
#define AT_ONCE 64

static int may_hold(const unsigned char *p, const char *word, Py_ssize_t rarest, Py_ssize_t last)
{
    const unsigned char first = (unsigned char)word[0], rare = (unsigned char)word[rarest];
    const unsigned char end = (unsigned char)word[last];
    unsigned char found = 0;
    for (int k = 0; k < AT_ONCE; k++)
        found |= (unsigned char)((p[k] == first) & (p[k + rarest] == rare) & (p[k + last] == end));
    return found;
}

/* The next place where the page has this word. */
static const unsigned char *find_word(
    const unsigned char *p, const unsigned char *end, const char *word, Py_ssize_t rarest)
{
    Py_ssize_t size = (Py_ssize_t)strlen(word);
    while (end - p >= AT_ONCE + size - 1) {
        if (may_hold(p, word, rarest, size - 1))
            for (int k = 0; k < AT_ONCE; k++)
                if (p[k] == (unsigned char)word[0] && memcmp(p + k, word, (size_t)size) == 0)
                    return p + k;
        p += AT_ONCE;
    }
    for (; end - p >= size; p++)
        if (*p == (unsigned char)word[0] && memcmp(p, word, (size_t)size) == 0)
            return p;
    return NULL;
}

static int look_at_prices(const unsigned char *body, Py_ssize_t size)
{
    const unsigned char *end = body + size, *from = body;
    int most = NOWHERE;
    for (int left = PRICES_LOOKED_AT; left > 0; left--) {
        const unsigned char *c = find_word(from, end, "rice", 2);
        if (c == NULL)
            return most;
        const unsigned char *start = c - body > TAG_LOOKED_BACK ? c - TAG_LOOKED_BACK : body;
        if (ends_with(start, c, "product:p") || ends_with(start, c, "og:p") ||
            ends_with(start, c, "itemprop=\"p") || ends_with(start, c, "itemprop=p"))
            return AS_A_PRICE;
        if (most != IN_MARKUP)
            most = is_key(c + 4, end) || is_in_tag(start, c) ? IN_MARKUP : IN_TEXT;
        from = c + 1;
    }
    return most;
}

static PyObject *priced(PyObject *module, PyObject *body)
{
    (void)module;
    if (!PyBytes_Check(body)) {
        PyErr_SetString(PyExc_TypeError, "a page is bytes");
        return NULL;
    }
    return PyLong_FromLong(look_at_prices(
        (const unsigned char *)PyBytes_AS_STRING(body), PyBytes_GET_SIZE(body)));
}

static int is_named_here(const unsigned char *p, const unsigned char *end, const char *name)
{
    for (; *name; p++, name++)
        if (p == end || LOWER[*p] != (unsigned char)*name)
            return 0;
    return 1;
}

/* Behind a script or a style that begins here; p itself where none does. */
static const unsigned char *behind_code(const unsigned char *p, const unsigned char *end)
{
    const char *close = is_named_here(p, end, "<script") ? "</script"
                        : is_named_here(p, end, "<style") ? "</style"
                                                      : NULL;
    if (close == NULL)
        return p;
    for (p++; p < end; p++) {
        p = memchr(p, '<', (size_t)(end - p));
        if (p == NULL)
            return end;
        if (is_named_here(p, end, close))
            return p;
    }
    return end;
}

/* Whether schema.org's name of a product stands there, as a type. */
static int has_product_type(const unsigned char *body, const unsigned char *end)
{
    for (const unsigned char *p = body; (p = find_word(p, end, "Product", 0)) != NULL; p++) {
        if (ends_with(body, p, "schema.org/") || ends_with(body, p, "schema.org/Individual"))
            return 1;
        const unsigned char *q = p + 7;
        if (end - q > 5 && memcmp(q, "Group", 5) == 0)
            q += 5;
        if (p > body && p[-1] == '"' && q < end && *q == '"')
            return 1;
    }
    return 0;
}

static int names_json_ld(const unsigned char *p, const unsigned char *end)
{
    while ((p = memchr(p, '+', (size_t)(end - p))) != NULL) {
        if (LOWER[p[-1]] == 'd' && LOWER[p[-2]] == 'l' && is_named_here(p + 1, end, "json"))
            return 1; /* what it begins with, <script, is longer than that */
        p++;
    }
    return 0;
}

/* The next script or style; the end where there is none. */
static const unsigned char *next_code(
    const unsigned char *p, const unsigned char *end, const unsigned char **behind)
{
    for (; (p = memchr(p, '<', (size_t)(end - p))) != NULL; p++)
        if (end - p > 1 && LOWER[p[1]] == 's' && (*behind = behind_code(p, end)) != p)
            return p;
    return *behind = end;
}

/* The same, where a reader of the page would find it: in its markup, or in JSON-LD. */
static int tells_of_product(const unsigned char *p, const unsigned char *end)
{
    if (!has_product_type(p, end))
        return 0;
    for (const unsigned char *code, *behind; p < end; p = behind) {
        code = next_code(p, end, &behind);
        if (has_product_type(p, code))
            return 1;
        if (code < end && LOWER[code[2]] == 'c' && names_json_ld(code + 7, behind) &&
            has_product_type(code, behind))
            return 1;
    }
    return 0;
}

/* Whether this is the value that begins here. */
static int is_value(const unsigned char *p, const unsigned char *end, const char *value)
{
    if (!is_named_here(p, end, value))
        return 0;
    p += strlen(value);
    return p == end || is_white(*p) || *p == '"' || *p == '\'' || *p == '/';
}

/* content = "product" */
static int is_product_content(const unsigned char *p, const unsigned char *end)
{
    if (!is_named_here(p, end, "content"))
        return 0;
    for (p += 7; p < end && is_white(*p); p++)
        ;
    if (p == end || *p != '=')
        return 0;
    for (p++; p < end && is_white(*p); p++)
        ;
    if (p < end && (*p == '"' || *p == '\''))
        for (p++; p < end && is_white(*p); p++)
            ;
    return is_value(p, end, "product") || is_value(p, end, "og:product") ||
           is_value(p, end, "product.item");
}

/* In whose words machines are told of a product. */
static PyObject *told_by(PyObject *module, PyObject *body)
{
    (void)module;
    if (!PyBytes_Check(body)) {
        PyErr_SetString(PyExc_TypeError, "a page is bytes");
        return NULL;
    }
    const unsigned char *start = (const unsigned char *)PyBytes_AS_STRING(body);
    const unsigned char *end = start + PyBytes_GET_SIZE(body);
    if (tells_of_product(start, end))
        return PyLong_FromLong(BY_SCHEMA);
    const unsigned char *at = find_word(start, end, "og:type", 4);
    const unsigned char *from = at;
    if (at == NULL)
        return PyLong_FromLong(NOT_TOLD);
    while (from > start && at - from < TAG_LOOKED_BACK && *from != '<')
        from--;
    const unsigned char *until = memchr(at, '>', (size_t)(end - at));
    for (; from < (until == NULL ? at : until); from++)
        if (is_product_content(from, until == NULL ? at : until))
            return PyLong_FromLong(BY_OPEN_GRAPH);
    return PyLong_FromLong(NOT_TOLD);
}

/* What a phrase is: words on a button, the name of one, or what is said of stock. */
enum { ON_BUTTONS, NAMES_BUTTONS, OF_STOCK };
#define AROUND 2000
#define LONGEST_BUTTON 60
#define LONGEST_STOCK 120
#define A_LIST 24 /* buttons that say the same */

/* The characters of a text on one line. */
static Py_ssize_t line_length(const unsigned char *p, const unsigned char *end)
{
    Py_ssize_t length = 0;
    int is_behind_gap = 0;
    for (; p < end; p++) {
        if (is_white(*p)) {
            is_behind_gap = length > 0;
            continue;
        }
        length += (*p & 0xC0) != 0x80;
        length += is_behind_gap;
        is_behind_gap = 0;
    }
    return length;
}

static int is_button_tag(const unsigned char *name, const unsigned char *end)
{
    return is_named_here(name, end, "input") || is_named_here(name, end, "button");
}

static int is_an_offer(
    const unsigned char *body, const unsigned char *p, const unsigned char *end, int kind)
{
    const unsigned char *from = p, *start = p - body > AROUND ? p - AROUND : body;
    while (from > start && from[-1] != '<' && from[-1] != '>')
        from--;
    if (from > start && from[-1] == '<')
        return kind != OF_STOCK && is_button_tag(from, end);
    if (kind == NAMES_BUTTONS)
        return 0;
    if (end - p > AROUND)
        end = p + AROUND;
    const unsigned char *until = memchr(p, '<', (size_t)(end - p));
    return line_length(from, until == NULL ? end : until) <=
           (kind == OF_STOCK ? LONGEST_STOCK : LONGEST_BUTTON);
}

typedef struct {
    const Needles *needles;
    const unsigned char *kinds, *body, *end;
    int looked_at, offers, most;
    uint16_t times[MOST_NEEDLES]; /* that each is a button's */
} Offers;

/* What of all that stands between these two offers something; whether that is too much to look at. */
static int count_offers(Offers *o, const unsigned char *p, const unsigned char *end)
{
    const Needles *n = o->needles;
    for (; end - p >= 2; p++) {
        int32_t at = may_begin(n, p);
        for (const unsigned char *q = p + 2; at; q++) {
            for (int index = n->letters[at].ends; index >= 0; index = n->again[index]) {
                if (++o->looked_at > PRICES_LOOKED_AT)
                    return 1;
                if (!is_an_offer(o->body, p, o->end, o->kinds[index]))
                    continue;
                o->offers++;
                if (o->kinds[index] != OF_STOCK && ++o->times[index] > o->most)
                    o->most = o->times[index];
            }
            at = q < end ? find_below(n, at, LOWER[*q]) : 0;
        }
    }
    return 0;
}

/* From where on a tag is looked at: most of a page is within tags that are no buttons'. Too far behind
 * its beginning nobody knows that it is one. */
static const unsigned char *offering_part(
    const unsigned char *tag, const unsigned char *close, const unsigned char *end)
{
    if (is_button_tag(tag + 1, end))
        return tag;
    return close - tag > AROUND ? tag + AROUND + 1 : close;
}

/* The same of markup: of its texts and buttons. */
static int count_shown(Offers *o, const unsigned char *p, const unsigned char *end)
{
    const unsigned char *tag = memchr(p, '<', (size_t)(end - p));
    while (tag != NULL) {
        if (count_offers(o, p, tag))
            return 1;
        const unsigned char *next = memchr(tag + 1, '<', (size_t)(end - tag - 1));
        const unsigned char *until = next == NULL ? end : next;
        const unsigned char *close = memchr(tag + 1, '>', (size_t)(until - tag - 1));
        p = close == NULL ? until : close;
        if (count_offers(o, offering_part(tag, p, o->end), p))
            return 1;
        tag = next;
    }
    return count_offers(o, p, end);
}

static PyObject *offered(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    Needles *n = count == 3 ? PyCapsule_GetPointer(args[0], NEEDLES) : NULL;
    if (n == NULL || !PyBytes_Check(args[1]) || !PyBytes_Check(args[2]) ||
        PyBytes_GET_SIZE(args[1]) != n->count) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "offered(needles, kinds, body): a kind for each");
        return NULL;
    }
    const unsigned char *p = (const unsigned char *)PyBytes_AS_STRING(args[2]);
    const unsigned char *end = p + PyBytes_GET_SIZE(args[2]), *behind;
    Offers o = {n, (const unsigned char *)PyBytes_AS_STRING(args[1]), p, end, 0, 0, 0, {0}};
    for (; p < end; p = behind)
        if (count_shown(&o, p, next_code(p, end, &behind)))
            Py_RETURN_TRUE;
    return PyBool_FromLong(o.offers > 0 && o.most < A_LIST);
}
