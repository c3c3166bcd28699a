/* What does a character reference (&amp;, &#38;) stand for? */

/* Its names that need no semicolon, as numbers: Python is not asked for each bare ampersand. */
#define UNENDED_SLOTS 512
static uint64_t UNENDED[UNENDED_SLOTS];

static int utf8(uint32_t code, unsigned char *out)
{
    if (code < 0x80) {
        out[0] = (unsigned char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (unsigned char)(0xC0 | code >> 6);
        out[1] = (unsigned char)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (unsigned char)(0xE0 | code >> 12);
        out[1] = (unsigned char)(0x80 | (code >> 6 & 63));
        out[2] = (unsigned char)(0x80 | (code & 63));
        return 3;
    }
    out[0] = (unsigned char)(0xF0 | code >> 18);
    out[1] = (unsigned char)(0x80 | (code >> 12 & 63));
    out[2] = (unsigned char)(0x80 | (code >> 6 & 63));
    out[3] = (unsigned char)(0x80 | (code & 63));
    return 4;
}

static uint64_t as_number(const unsigned char *name, Py_ssize_t size)
{
    uint64_t number = 0;
    for (Py_ssize_t n = 0; n < size; n++)
        number = number << 8 | name[n];
    return number;
}

/* The slot that has the name, or the free one where it belongs. */
static uint64_t *unended(uint64_t name)
{
    size_t slot = (size_t)(name * 0x9E3779B97F4A7C15u >> 32) % UNENDED_SLOTS;
    while (UNENDED[slot] && UNENDED[slot] != name)
        slot = (slot + 1) % UNENDED_SLOTS;
    return &UNENDED[slot];
}

static int is_unended(const unsigned char *name, Py_ssize_t size)
{
    return size <= LONGEST_UNENDED && *unended(as_number(name, size)) != 0;
}

/* What html5 has under a name; with_end looks for it with its semicolon. NULL for nothing. */
static PyObject *entity(
    PyObject *entities, const unsigned char *name, Py_ssize_t size, int with_end)
{
    char spelled[LONGEST_ENTITY + 2];
    if (size > LONGEST_ENTITY)
        return NULL;
    memcpy(spelled, name, (size_t)size);
    if (with_end)
        spelled[size++] = ';';
    PyObject *key = PyUnicode_DecodeASCII(spelled, size, NULL);
    if (key == NULL)
        return NULL;
    PyObject *value = PyDict_GetItemWithError(entities, key);
    Py_DECREF(key);
    return value;
}

static int load_entities(State *state)
{
    if (state->entities != NULL)
        return FINE;
    PyObject *module = PyImport_ImportModule("html.entities");
    if (module == NULL)
        return FAILED;
    PyObject *table = PyObject_GetAttrString(module, "html5");
    Py_DECREF(module);
    if (table == NULL)
        return FAILED;
    if (!PyDict_Check(table)) {
        Py_DECREF(table);
        return UNSURE;
    }
    PyObject *key, *value;
    Py_ssize_t at = 0, size, count = 0;
    while (PyDict_Next(table, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, &size);
        if (name == NULL) {
            Py_DECREF(table);
            return FAILED;
        }
        if (size == 0 || name[size - 1] == ';')
            continue;
        if (size > LONGEST_UNENDED || ++count > UNENDED_SLOTS / 2) {
            Py_DECREF(table);
            return UNSURE; /* not the names of HTML as we know them */
        }
        uint64_t number = as_number((const unsigned char *)name, size);
        *unended(number) = number;
    }
    state->entities = table;
    return FINE;
}

/* What 0x80 to 0x9F stand for: windows-1252. */
static const uint16_t WINDOWS[32] = {
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
};

static int number(const unsigned char **at, const unsigned char *end, unsigned char *out, int *size)
{
    const unsigned char *p = *at + 2; /* behind &# */
    uint32_t code = 0;
    int is_hex = p < end && (*p | 32) == 'x', digits = 0;
    for (p += is_hex; p < end; p++, digits++) {
        unsigned char c = *p, letter = c | 32;
        uint32_t digit;
        if (c >= '0' && c <= '9')
            digit = c - '0';
        else if (is_hex && letter >= 'a' && letter <= 'f')
            digit = (uint32_t)(letter - 'a' + 10);
        else
            break;
        if (code <= 0x10FFFF)
            code = code * (is_hex ? 16 : 10) + digit;
    }
    if (!digits) { /* a mere ampersand */
        out[0] = '&';
        *size = 1;
        ++*at;
        return FINE;
    }
    if (code >= 0x80 && code < 0xA0)
        code = WINDOWS[code - 0x80];
    if (!code || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF)
        code = 0xFFFD;
    if (code == '\r')
        return UNSURE; /* white space here, and none there */
    *size = utf8(code, out);
    *at = p + (p < end && *p == ';');
    return FINE;
}

static int meant(PyObject *meaning, unsigned char *out, int *size)
{
    Py_ssize_t bytes;
    const char *spelled = PyUnicode_AsUTF8AndSize(meaning, &bytes);
    if (spelled == NULL)
        return FAILED;
    if (bytes > 8)
        return UNSURE;
    memcpy(out, spelled, (size_t)bytes);
    *size = (int)bytes;
    return FINE;
}

/* The reference that `*at` stands at, an ampersand: what it means goes to `out`, and `*at` behind
 * it. A mere ampersand means itself. The meaning is never longer than 8 bytes. */
static int reference(
    Scan *s, const unsigned char **at, const unsigned char *end, int in_attribute,
    unsigned char *out, int *size)
{
    const unsigned char *name = *at + 1, *p = name;
    if (p < end && *p == '#')
        return number(at, end, out, size);
    while (p < end && p - name <= LONGEST_ENTITY && is_alphanumeric(*p))
        p++;
    Py_ssize_t length = p - name;
    out[0] = '&';
    *size = 1;
    if (length == 0) {
        *at = name;
        return FINE;
    }
    int ended = p < end && *p == ';' && length <= LONGEST_ENTITY;
    if (ended) {
        unsigned char plain = 0;
        if (length == 3 && memcmp(name, "amp", 3) == 0)
            plain = '&';
        else if (length == 2 && memcmp(name, "lt", 2) == 0)
            plain = '<';
        else if (length == 2 && memcmp(name, "gt", 2) == 0)
            plain = '>';
        else if (length == 4 && memcmp(name, "quot", 4) == 0)
            plain = '"';
        if (plain) {
            out[0] = plain;
            *at = p + 1;
            return FINE;
        }
        if (length == 4 && memcmp(name, "nbsp", 4) == 0) {
            *size = utf8(0xA0, out);
            *at = p + 1;
            return FINE;
        }
    }
    CHECK(load_entities(s->state));
    PyObject *meaning = NULL;
    if (ended || is_unended(name, length)) {
        meaning = entity(s->state->entities, name, length, ended);
        if (meaning == NULL && PyErr_Occurred())
            return FAILED;
    }
    if (meaning != NULL && (ended || !in_attribute || p == end || *p != '=')) {
        *at = p + ended;
        return meant(meaning, out, size);
    }
    if (!in_attribute && meaning == NULL) {
        /* In text, the beginning of a name is enough for some: &notit; is a sign and "it;". */
        Py_ssize_t n = length - (ended ? 0 : 1);
        n = n > LONGEST_UNENDED ? LONGEST_UNENDED : n;
        while (n >= 2 && !is_unended(name, n))
            n--;
        if (n >= 2) {
            meaning = entity(s->state->entities, name, n, 0);
            if (meaning == NULL)
                return PyErr_Occurred() ? FAILED : UNSURE;
            *at = name + n;
            return meant(meaning, out, size);
        }
    }
    *at = name;
    return FINE;
}

/* The bytes of a piece with its references resolved, in `scratch`, which is larger than any. */
static int resolved(Scan *s, Piece piece, int in_attribute, Py_ssize_t *size)
{
    const unsigned char *p = piece.at, *end = piece.at + piece.size;
    unsigned char *out = s->scratch;
    while (p < end) {
        const unsigned char *next = memchr(p, '&', (size_t)(end - p));
        size_t plain = (size_t)((next ? next : end) - p);
        /* A reference may mean more bytes than it has, if only by a few of them. */
        if ((out - s->scratch) + (Py_ssize_t)plain + 8 > s->most)
            return UNSURE;
        memcpy(out, p, plain);
        out += plain;
        p += plain;
        if (next) {
            int bytes;
            CHECK(reference(s, &p, end, in_attribute, out, &bytes));
            out += bytes;
        }
    }
    *size = out - s->scratch;
    return FINE;
}
