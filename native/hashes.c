/* What are the hashes of a text? The same as `similar.py` and `sketch.py` compute, which say why
 * and hand over the tables that say where a text is cut: a test holds the two together. */

enum { CRC_BYTES = 8 };
static uint32_t CRC_TABLES[CRC_BYTES][256]; /* what a byte does, by how many stand behind it */

/* What a byte is within a word, whether it may end one, and in lower case. */
enum { OTHER_BYTE = 1, FIGURE_BYTE = 2, DOT_BYTE = 4, DASH_BYTE = 8, COLON_BYTE = 16, TIME_BYTE = 32,
       MARK_BYTE = 64 };
enum { WITHIN_WORD, GAP_BYTE, JOINING_BYTE };
static unsigned char BYTE_KIND[256], BYTE_ENDS[256], LOWER[256];
static unsigned char IS_HEARD[256]; /* of a piece: neither figures nor gaps are */

static void fill_byte_tables(void)
{
    for (int n = 0; n < 256; n++)
        LOWER[n] = (unsigned char)(n >= 'A' && n <= 'Z' ? n + 32 : n);
    memset(BYTE_KIND, OTHER_BYTE, sizeof BYTE_KIND);
    for (int n = '0'; n <= '9'; n++)
        BYTE_KIND[n] = FIGURE_BYTE;
    BYTE_KIND['.'] = DOT_BYTE;
    BYTE_KIND['-'] = BYTE_KIND['/'] = DASH_BYTE;
    BYTE_KIND[':'] = COLON_BYTE;
    for (const char *p = "TtZz"; *p; p++) /* of a time: 2026-11-17T10:30Z */
        BYTE_KIND[(unsigned char)*p] = TIME_BYTE;
    for (int n = 33; n < 127; n++)
        if (n < 48 || (n > 57 && n < 65) || (n > 90 && n < 97) || n > 122)
            BYTE_KIND[n] |= MARK_BYTE;
    for (const char *p = " \t\r\f\v"; *p; p++)
        BYTE_ENDS[(unsigned char)*p] = GAP_BYTE;
    for (const char *p = "-_+"; *p; p++)
        BYTE_ENDS[(unsigned char)*p] = JOINING_BYTE;
    for (int n = 0; n < 256; n++)
        IS_HEARD[n] = BYTE_KIND[n] != FIGURE_BYTE && BYTE_ENDS[n] != GAP_BYTE;
}

static void fill_crc_tables(void)
{
    fill_byte_tables();
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t rest = n;
        for (int bit = 0; bit < 8; bit++)
            rest = rest & 1 ? rest >> 1 ^ 0xEDB88320u : rest >> 1;
        CRC_TABLES[0][n] = rest;
    }
    for (int table = 1; table < CRC_BYTES; table++)
        for (int n = 0; n < 256; n++) {
            uint32_t rest = CRC_TABLES[table - 1][n];
            CRC_TABLES[table][n] = CRC_TABLES[0][rest & 255] ^ rest >> 8;
        }
}

/* Hashes stand in bytes, four each, the lowest first: as the ledger keeps them. */
static uint32_t hash_at(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_hash(unsigned char *at, uint32_t hash)
{
    for (int n = 0; n < 4; n++)
        at[n] = (unsigned char)(hash >> 8 * n);
}

static uint32_t crc(const unsigned char *at, Py_ssize_t size)
{
    uint32_t rest = 0xFFFFFFFFu;
    for (; size >= 8; size -= 8, at += 8) {
        rest ^= hash_at(at);
        rest = CRC_TABLES[7][rest & 255] ^ CRC_TABLES[6][rest >> 8 & 255] ^
               CRC_TABLES[5][rest >> 16 & 255] ^ CRC_TABLES[4][rest >> 24] ^
               CRC_TABLES[3][at[4]] ^ CRC_TABLES[2][at[5]] ^ CRC_TABLES[1][at[6]] ^
               CRC_TABLES[0][at[7]];
    }
    for (; size >= 4; size -= 4, at += 4) {
        rest ^= hash_at(at);
        rest = CRC_TABLES[3][rest & 255] ^ CRC_TABLES[2][rest >> 8 & 255] ^
               CRC_TABLES[1][rest >> 16 & 255] ^ CRC_TABLES[0][rest >> 24];
    }
    for (; size > 0; size--, at++)
        rest = CRC_TABLES[0][(rest ^ *at) & 255] ^ rest >> 8;
    return ~rest;
}

/* Those of so many zeros: the rest of a hash is what its bytes do, each by itself. */
static uint32_t CRC_OF_ZEROS[CRC_BYTES + 1];

static void fill_crc_of_zeros(void)
{
    static const unsigned char zeros[CRC_BYTES];
    for (int size = 0; size <= CRC_BYTES; size++)
        CRC_OF_ZEROS[size] = crc(zeros, size);
}

/* Different numbers, in no order. Of very many only the lowest stay: nobody asks for others. */
typedef struct {
    uint32_t *slots, *members;
    uint32_t mask;
    uint32_t highest; /* that may be one of the lowest */
    Py_ssize_t count;
    int has_zero;
} Numbers;

/* Where a number goes, no page can know: it could choose texts that all go to the same place. */
static uint64_t SECRET = 0x9E3779B97F4A7C15u;

static int choose_secret(void)
{
    PyObject *text = PyUnicode_FromString("tenax.page._native");
    Py_hash_t hash = text == NULL ? -1 : PyObject_Hash(text); /* another for each process */
    Py_XDECREF(text);
    if (hash == -1)
        return -1;
    SECRET = ((uint64_t)hash ^ SECRET) | 1;
    return 0;
}

static int make_numbers(Numbers *set, Py_ssize_t most)
{
    uint32_t room = 64;
    if (most > 2 * MOST_FEATURES)
        most = 2 * MOST_FEATURES;
    while (room < most + most / 2)
        room *= 2;
    set->slots = PyMem_Calloc((size_t)room + (size_t)most, sizeof *set->slots);
    if (set->slots == NULL)
        return 0;
    set->members = set->slots + room;
    set->mask = room - 1;
    set->highest = UINT32_MAX;
    set->count = 0;
    set->has_zero = 0;
    return 1;
}

static int by_size(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

/* A few hundred, as most texts have, are put where their first byte says: hashes are spread, so hardly
 * any has to pass another then. */
static void sort_numbers(Numbers *set)
{
    enum { MOST = 512 };
    uint32_t *numbers = set->members, spread[MOST];
    unsigned places[257] = {0};
    if (set->count > MOST) {
        qsort(numbers, (size_t)set->count, sizeof *numbers, by_size);
        return;
    }
    for (Py_ssize_t n = 0; n < set->count; n++)
        places[(numbers[n] >> 24) + 1]++;
    for (int n = 0; n < 256; n++)
        places[n + 1] += places[n];
    for (Py_ssize_t n = 0; n < set->count; n++)
        spread[places[numbers[n] >> 24]++] = numbers[n];
    for (Py_ssize_t n = 0; n < set->count; n++) {
        Py_ssize_t at = n;
        for (; at > 0 && numbers[at - 1] > spread[n]; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = spread[n];
    }
}

/* The slot that has the number, or the free one where it belongs. */
static uint32_t *slot_for(Numbers *set, uint32_t number)
{
    uint32_t slot = (uint32_t)(number * SECRET >> 32) & set->mask;
    while (set->slots[slot] && set->slots[slot] != number)
        slot = (slot + 1) & set->mask;
    return &set->slots[slot];
}

static void drop_highest(Numbers *set)
{
    sort_numbers(set);
    set->count = MOST_FEATURES;
    set->highest = set->members[MOST_FEATURES - 1];
    memset(set->slots, 0, ((size_t)set->mask + 1) * sizeof *set->slots);
    for (Py_ssize_t n = 0; n < set->count; n++)
        if (set->members[n])
            *slot_for(set, set->members[n]) = set->members[n];
}

static void add_number(Numbers *set, uint32_t number)
{
    if (number > set->highest)
        return;
    if (number == 0) {
        if (set->has_zero)
            return;
        set->has_zero = 1;
    } else {
        uint32_t *slot = slot_for(set, number);
        if (*slot)
            return;
        *slot = number;
    }
    set->members[set->count++] = number;
    if (set->count == 2 * MOST_FEATURES)
        drop_highest(set);
}

static int is_figure(unsigned char c)
{
    return c >= '0' && c <= '9';
}

/* The text by this table, without figures if so; how often it is cut, and what is left of it. */
static Py_ssize_t cut_text(
    const unsigned char *text, Py_ssize_t size, const unsigned char *table, int without_figures,
    unsigned char *out, Py_ssize_t *cuts)
{
    Py_ssize_t left = 0, count = 0;
    for (Py_ssize_t n = 0; n < size; n++) {
        unsigned char c = table[text[n]];
        out[left] = c;
        count += c == '\n';
        left += !(without_figures && is_figure(text[n]));
    }
    *cuts = count;
    return left;
}

/* The bits that more than half of the numbers have set, each number taken for 64 bits. */
static uint64_t majority(const uint32_t *numbers, Py_ssize_t count)
{
    uint64_t digits[16] = {0}; /* the nth has the nth binary digit of all 64 counts */
    for (Py_ssize_t n = 0; n < count; n++) {
        uint64_t product = (uint64_t)numbers[n] * MULTIPLIER;
        uint64_t carry = numbers[n] | (product >> 16 & 0xFFFFFFFFu) << 32;
        for (int place = 0; carry; place++) {
            uint64_t both = digits[place] & carry;
            digits[place] ^= carry;
            carry = both;
        }
    }
    uint64_t higher = 0;
    for (int place = 0; place < 16; place++)
        higher = (count / 2) >> place & 1 ? digits[place] & higher : digits[place] | higher;
    return higher;
}

static PyObject *hash_pieces(
    const unsigned char *cut, Py_ssize_t size, Py_ssize_t pieces, Py_ssize_t window)
{
    Numbers features;
    if (!make_numbers(&features, pieces))
        return PyErr_NoMemory();
    const unsigned char *p = cut, *end = cut + size;
    for (;;) {
        const unsigned char *next = memchr(p, '\n', (size_t)(end - p));
        Py_ssize_t length = (next ? next : end) - p;
        add_number(&features, crc(p, length < window ? length : window));
        if (next == NULL)
            break;
        p = next + 1;
    }
    if (features.count > MOST_FEATURES) {
        sort_numbers(&features);
        features.count = MOST_FEATURES;
    }
    uint64_t hash = majority(features.members, features.count);
    PyMem_Free(features.slots);
    return PyLong_FromUnsignedLongLong(hash);
}

static int is_table(PyObject *object)
{
    if (PyBytes_Check(object) && PyBytes_GET_SIZE(object) == 256)
        return 1;
    PyErr_SetString(PyExc_TypeError, "a table is 256 bytes");
    return 0;
}

static PyObject *simhash(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *bare, *tables, *dense, *of_figures;
    if (!PyArg_ParseTuple(args, "SO!SS", &bare, &PyTuple_Type, &tables, &dense, &of_figures))
        return NULL;
    Py_ssize_t count = PyTuple_GET_SIZE(tables), size = PyBytes_GET_SIZE(bare);
    for (Py_ssize_t n = 0; n < count; n++)
        if (!is_table(PyTuple_GET_ITEM(tables, n)))
            return NULL;
    if (!is_table(dense) || !is_table(of_figures))
        return NULL;
    if (size < LEAST_TEXT || count == 0)
        Py_RETURN_NONE;
    unsigned char *cut = PyMem_Malloc((size_t)size + 1);
    if (cut == NULL)
        return PyErr_NoMemory();
    const unsigned char *text = (const unsigned char *)PyBytes_AS_STRING(bare);
    PyObject *result = NULL;
    Py_ssize_t cuts, left, window = PIECE_WINDOW;
    const unsigned char *table =
        (const unsigned char *)PyBytes_AS_STRING(PyTuple_GET_ITEM(tables, 0));
    left = cut_text(text, size, table, 1, cut, &cuts);
    int without_figures = left * 4 >= size * 3;
    if ((without_figures ? left : size) < LEAST_TEXT) {
        PyMem_Free(cut);
        Py_RETURN_NONE;
    }
    for (Py_ssize_t n = 0;; n++) {
        if (n == count) {
            PyObject *all = without_figures ? dense : of_figures;
            table = (const unsigned char *)PyBytes_AS_STRING(all);
            window = PY_SSIZE_T_MAX;
        } else
            table = (const unsigned char *)PyBytes_AS_STRING(PyTuple_GET_ITEM(tables, n));
        if (n > 0 || !without_figures)
            left = cut_text(text, size, table, without_figures, cut, &cuts);
        if (n == count || cuts + 1 >= ENOUGH_PIECES) {
            result = hash_pieces(cut, left, cuts + 1, window);
            break;
        }
    }
    PyMem_Free(cut);
    return result;
}

/* Where a text goes on after so many characters. */
static const unsigned char *behind(
    const unsigned char *at, const unsigned char *end, Py_ssize_t count)
{
    while (count >= 8 && end - at >= 8) {
        uint64_t eight, inner; /* bytes, and which of them begin no character */
        memcpy(&eight, at, 8);
        inner = (eight & ~(eight << 1)) >> 7 & 0x0101010101010101u;
        count -= 8 - (Py_ssize_t)(inner * 0x0101010101010101u >> 56);
        at += 8;
    }
    for (; at < end; at++)
        if ((*at & 0xC0) != 0x80 && count-- == 0)
            break;
    return at;
}

/* The lowest numbers, in order. */
static PyObject *packed(Numbers *set)
{
    sort_numbers(set);
    Py_ssize_t count = set->count < MOST_WORDINGS ? set->count : MOST_WORDINGS;
    PyObject *result = PyBytes_FromStringAndSize(NULL, 4 * count);
    for (Py_ssize_t n = 0; result != NULL && n < count; n++)
        put_hash((unsigned char *)PyBytes_AS_STRING(result) + 4 * n, set->members[n]);
    return result;
}

static int is_letter_of_any(unsigned char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c >= 0x80;
}

/* Whether a word ends here, or joins the next one. */
static int ends_word(const unsigned char *p, const unsigned char *at, const unsigned char *end)
{
    if (BYTE_ENDS[*p] != JOINING_BYTE)
        return BYTE_ENDS[*p] == GAP_BYTE;
    return p > at && p + 1 < end && is_letter_of_any(p[-1]) && is_letter_of_any(p[1]);
}

static int is_mark(unsigned char c)
{
    return BYTE_KIND[c] & MARK_BYTE;
}

/* Words that say nothing, by their hashes. */
typedef struct {
    const unsigned char *hashes;
    Py_ssize_t count;
    uint64_t some; /* a bit for each, by which most other words are told at once */
} Unheard;

static Unheard unheard_of(PyObject *own)
{
    Unheard unheard = {(const unsigned char *)PyBytes_AS_STRING(own), PyBytes_GET_SIZE(own) / 4, 0};
    for (Py_ssize_t n = 0; n < unheard.count; n++)
        unheard.some |= (uint64_t)1 << (hash_at(unheard.hashes + 4 * n) & 63);
    return unheard;
}

static int is_unheard(const Unheard *unheard, uint32_t word)
{
    if (!(unheard->some >> (word & 63) & 1))
        return 0;
    for (Py_ssize_t n = 0; n < unheard->count; n++)
        if (word == hash_at(unheard->hashes + 4 * n))
            return 1;
    return 0;
}

typedef enum { NO_WORD, PLAIN_WORD, NUMBER, WITH_FIGURES, MOMENT } WordKind;

static int has_two_dots(const unsigned char *at, Py_ssize_t size)
{
    const unsigned char *first = memchr(at, '.', (size_t)size);
    return first != NULL && memchr(first + 1, '.', (size_t)(at + size - first - 1)) != NULL;
}

/* The hash of a word without the marks around it, in lower case, and what it is. */
static WordKind word_at(
    const unsigned char *at, const unsigned char *end, unsigned char *lower, uint32_t *hash)
{
    unsigned held = 0; /* kinds of bytes */
    while (at < end && is_mark(*at))
        at++;
    while (at < end && is_mark(end[-1]))
        end--;
    Py_ssize_t size = end - at;
    uint32_t rest = 0;
    if (size <= CRC_BYTES) { /* nearly all: each byte does what it does, whatever stands before it */
        for (Py_ssize_t n = 0; n < size; n++) {
            held |= BYTE_KIND[at[n]];
            lower[n] = LOWER[at[n]];
            rest ^= CRC_TABLES[size - 1 - n][lower[n]];
        }
        *hash = rest ^ CRC_OF_ZEROS[size];
    } else {
        for (Py_ssize_t n = 0; n < size; n++) {
            held |= BYTE_KIND[at[n]];
            lower[n] = LOWER[at[n]];
        }
        *hash = crc(lower, size);
    }
    if (!(held & FIGURE_BYTE))
        return size >= SHORTEST_WORD ? PLAIN_WORD : NO_WORD;
    int is_date = !(held & TIME_BYTE) && (held & DASH_BYTE || has_two_dots(lower, size));
    if (!(held & OTHER_BYTE) && (held & COLON_BYTE || is_date))
        return MOMENT;
    return is_figure(*lower) ? NUMBER : WITH_FIGURES;
}

/* The last numbers, while no word stands between them. */
typedef struct {
    uint32_t hashes[3];
    int count;
} Row;

/* What a wording is stands in its last bits. */
static uint32_t of_class(uint32_t hash, uint32_t class)
{
    return (hash & ~(uint32_t)SAYS_BITS) | class;
}

static void add_to_row(Numbers *set, Row *row, uint32_t hash)
{
    unsigned char three[12];
    if (row->count == 3) {
        row->hashes[0] = row->hashes[1];
        row->hashes[1] = row->hashes[2];
        row->count = 2;
    }
    row->hashes[row->count++] = hash;
    if (row->count < 3)
        return;
    for (int n = 0; n < 3; n++)
        put_hash(three + 4 * n, row->hashes[n]);
    add_number(set, of_class(crc(three, 12), SAYS_FIGURES));
}

/* What one line says; see sketch.py. `scratch` has room for it twice. */
static void add_line(
    Numbers *set, const unsigned char *at, const unsigned char *end, const unsigned char *cutting,
    const Unheard *unheard, Row *row, unsigned char *scratch)
{
    unsigned char *kept = scratch + (end - at) + 1;
    uint32_t plain[LONGEST_PHRASE]; /* the words of a phrase */
    Py_ssize_t size = 0, count = 0;
    for (const unsigned char *p = at, *word = at;; p++)
        if (p == end || ends_word(p, at, end)) {
            uint32_t hash;
            if (p > word) {
                WordKind kind = word_at(word, p, scratch, &hash);
                if (kind == PLAIN_WORD || kind == WITH_FIGURES)
                    row->count = 0;
                if (!is_unheard(unheard, hash)) {
                    if (kind == WITH_FIGURES || kind == NUMBER)
                        add_number(set, of_class(hash, SAYS_FIGURES));
                    if (kind == NUMBER)
                        add_to_row(set, row, hash);
                    if (kind == PLAIN_WORD && count < LONGEST_PHRASE)
                        plain[count++] = hash;
                    memcpy(kept + size, word, (size_t)(p - word));
                    size += p - word;
                    kept[size++] = ' ';
                }
            }
            if (p == end)
                break;
            word = p + 1;
        }
    end = kept + size;
    if (size <= LONGEST_PHRASE) {
        for (Py_ssize_t n = 0; n < count; n++)
            add_number(set, of_class(plain[n], SAYS_WORDS));
        return;
    }
    size = 0;
    for (at = kept; at <= end; at++) {
        unsigned char c = at == end ? '\n' : cutting[*at];
        if (c == '\n') {
            if (size >= SHORTEST_WORDING)
                add_number(set, of_class(crc(scratch, size), SAYS_PROSE));
            size = 0;
        } else {
            scratch[size] = c;
            size += IS_HEARD[*at];
        }
    }
}

static PyObject *sketch(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *written, *table, *own;
    if (!PyArg_ParseTuple(args, "SSS", &written, &table, &own) || !is_table(table))
        return NULL;
    Unheard unheard = unheard_of(own);
    Py_ssize_t size = PyBytes_GET_SIZE(written);
    const unsigned char *p = (const unsigned char *)PyBytes_AS_STRING(written), *end = p + size;
    unsigned char *scratch = PyMem_Malloc(2 * (size_t)size + 4);
    Numbers wordings;
    Row row = {{0, 0, 0}, 0};
    if (scratch == NULL)
        return PyErr_NoMemory();
    const unsigned char *cutting = (const unsigned char *)PyBytes_AS_STRING(table);
    /* A word with what ends it has two bytes and makes two numbers at most; a piece has four bytes. */
    if (!make_numbers(&wordings, size + 4)) {
        PyMem_Free(scratch);
        return PyErr_NoMemory();
    }
    while (p <= end) {
        const unsigned char *next = memchr(p, '\n', (size_t)(end - p));
        if (next == NULL)
            next = end;
        add_line(&wordings, p, next, cutting, &unheard, &row, scratch);
        p = next + 1;
    }
    PyObject *result = packed(&wordings);
    PyMem_Free(wordings.slots);
    PyMem_Free(scratch);
    return result;
}

/* Those of these hashes that are not in their places, where they are put; see sketch.py. */
static PyObject *heard_first(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer known;
    PyObject *hashes, *first = NULL;
    unsigned long long place;
    if (!PyArg_ParseTuple(args, "w*SK", &known, &hashes, &place))
        return NULL;
    const unsigned char *asked = (const unsigned char *)PyBytes_AS_STRING(hashes);
    Py_ssize_t size = PyBytes_GET_SIZE(hashes) & ~(Py_ssize_t)3, left = 0;
    size_t places = (size_t)known.len / sizeof(uint32_t);
    uint32_t *at = known.buf;
    if (places == 0 || (places & (places - 1)) != 0 || known.itemsize != 4)
        PyErr_SetString(PyExc_ValueError, "places are a power of two, of four bytes each");
    else
        first = PyBytes_FromStringAndSize(NULL, size);
    if (first == NULL) {
        PyBuffer_Release(&known);
        return NULL;
    }
    unsigned char *out = (unsigned char *)PyBytes_AS_STRING(first);
    for (Py_ssize_t n = 0; n < size; n += 4) /* the places are all over the memory */
        __builtin_prefetch(&at[(hash_at(asked + n) >> 2 ^ place) & (places - 1)]);
    for (Py_ssize_t n = 0; n < size; n += 4) {
        uint32_t wording = hash_at(asked + n);
        memcpy(out + left, asked + n, 4);
        left += 4 * (at[(wording >> 2 ^ place) & (places - 1)] != wording);
    }
    for (Py_ssize_t n = 0; n < left; n += 4) {
        uint32_t wording = hash_at(out + n);
        at[(wording >> 2 ^ place) & (places - 1)] = wording;
    }
    PyBuffer_Release(&known);
    _PyBytes_Resize(&first, left);
    return first;
}

/* Those of these hashes that are of a class. */
static PyObject *of_kind(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *hashes;
    unsigned int kind;
    if (!PyArg_ParseTuple(args, "SI", &hashes, &kind))
        return NULL;
    const unsigned char *asked = (const unsigned char *)PyBytes_AS_STRING(hashes);
    Py_ssize_t size = PyBytes_GET_SIZE(hashes) & ~(Py_ssize_t)3, left = 0;
    PyObject *some = PyBytes_FromStringAndSize(NULL, size);
    if (some == NULL)
        return NULL;
    unsigned char *out = (unsigned char *)PyBytes_AS_STRING(some);
    for (Py_ssize_t n = 0; n < size; n += 4) {
        memcpy(out + left, asked + n, 4);
        left += 4 * ((asked[n] & SAYS_BITS) == kind);
    }
    _PyBytes_Resize(&some, left);
    return some;
}

static PyObject *bare(PyObject *module, PyObject *written)
{
    (void)module;
    if (!PyBytes_Check(written)) {
        PyErr_SetString(PyExc_TypeError, "a written text is bytes");
        return NULL;
    }
    Py_ssize_t size = PyBytes_GET_SIZE(written), left = 0;
    PyObject *result = PyBytes_FromStringAndSize(NULL, size);
    if (result == NULL)
        return NULL;
    const unsigned char *text = (const unsigned char *)PyBytes_AS_STRING(written);
    unsigned char *out = (unsigned char *)PyBytes_AS_STRING(result);
    for (Py_ssize_t n = 0; n < size; n++) {
        unsigned char c = text[n];
        out[left] = c;
        left += !(c == ' ' || (c >= '\t' && c <= '\r'));
    }
    _PyBytes_Resize(&result, left);
    return result;
}
