/* Which of many short strings does a text hold? One pass over its bytes: see for_sale/needles.py.
 *
 * Two bytes tell for nearly every place that none of them begins there. Where one may, the tree of
 * those that begin with these two is followed, letter by letter. */

#define MOST_NEEDLES 4096
#define LONGEST_NEEDLE 200
#define NEEDLES "tenax.needles"

/* A letter of a needle, behind those that lead to it. */
typedef struct {
    int32_t below, beside; /* the first letter that follows; another in its own place; 0 for none */
    int16_t ends;          /* the needle that ends here; -1 for none */
    unsigned char letter;
} Letter;

typedef struct {
    int count;
    uint64_t starts[256][4];  /* whether anything begins with these two bytes, in any case: a bit each */
    int32_t *first[256];      /* by the first letter: for each second one its place; 0 for none */
    int16_t *again;           /* of each, another needle that is the same; -1 for none */
    Letter *letters;
    int32_t used, room;
} Needles;

static unsigned char LOWER[256];

static void fill_lower(void)
{
    for (int n = 0; n < 256; n++)
        LOWER[n] = (unsigned char)(n >= 'A' && n <= 'Z' ? n + 32 : n);
}

static unsigned upper_of(unsigned byte)
{
    return byte >= 'a' && byte <= 'z' ? byte - 32 : byte;
}

static void mark_start(Needles *n, unsigned one, unsigned two)
{
    n->starts[one][two >> 6] |= (uint64_t)1 << (two & 63);
}

static int32_t new_letter(Needles *n, unsigned char letter)
{
    if (n->used == n->room) {
        Letter *more = PyMem_Realloc(n->letters, (size_t)n->room * 2 * sizeof *more);
        if (more == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        n->letters = more;
        n->room *= 2;
    }
    n->letters[n->used] = (Letter){0, 0, -1, letter};
    return n->used++;
}

static int32_t find_below(const Needles *n, int32_t at, unsigned char letter)
{
    int32_t below = n->letters[at].below;
    while (below && n->letters[below].letter != letter)
        below = n->letters[below].beside;
    return below;
}

static int32_t add_below(Needles *n, int32_t at, unsigned char letter)
{
    int32_t below = find_below(n, at, letter);
    if (below == 0 && (below = new_letter(n, letter)) > 0) {
        n->letters[below].beside = n->letters[at].below;
        n->letters[at].below = below;
    }
    return below;
}

/* The second letter of those that begin with these two, new or not; 0 where there is no memory. */
static int32_t add_first(Needles *n, unsigned one, unsigned two)
{
    if (n->first[one] == NULL && (n->first[one] = PyMem_Calloc(256, sizeof **n->first)) == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    int32_t *at = &n->first[one][two];
    return *at > 0 ? *at : (*at = new_letter(n, (unsigned char)two));
}

static int add_needle(Needles *n, int index, PyObject *word)
{
    Py_ssize_t size = PyBytes_Check(word) ? PyBytes_GET_SIZE(word) : 0;
    if (size < 2 || size > LONGEST_NEEDLE) {
        PyErr_SetString(PyExc_ValueError, "a needle is bytes, at least two and not very many");
        return -1;
    }
    const unsigned char *letters = (const unsigned char *)PyBytes_AS_STRING(word);
    int32_t at = add_first(n, letters[0], letters[1]);
    for (Py_ssize_t k = 2; at > 0 && k < size; k++)
        at = add_below(n, at, letters[k]);
    if (at <= 0)
        return -1;
    n->again[index] = n->letters[at].ends;
    n->letters[at].ends = (int16_t)index;
    mark_start(n, letters[0], letters[1]);
    mark_start(n, upper_of(letters[0]), letters[1]);
    mark_start(n, letters[0], upper_of(letters[1]));
    mark_start(n, upper_of(letters[0]), upper_of(letters[1]));
    return 0;
}

static void clear_needles(Needles *n)
{
    for (int one = 0; one < 256; one++)
        PyMem_Free(n->first[one]);
    PyMem_Free(n->again);
    PyMem_Free(n->letters);
    PyMem_Free(n);
}

static void free_needles(PyObject *capsule)
{
    Needles *n = PyCapsule_GetPointer(capsule, NEEDLES);
    if (n != NULL)
        clear_needles(n);
}

static PyObject *needles(PyObject *module, PyObject *words)
{
    (void)module;
    if (!PyTuple_Check(words) || PyTuple_GET_SIZE(words) > MOST_NEEDLES) {
        PyErr_SetString(PyExc_ValueError, "needles are a tuple of at most 4,096");
        return NULL;
    }
    Needles *n = PyMem_Calloc(1, sizeof *n);
    if (n == NULL)
        return PyErr_NoMemory();
    n->count = (int)PyTuple_GET_SIZE(words);
    n->room = 64;
    n->used = 1; /* 0 is none */
    n->letters = PyMem_Calloc((size_t)n->room, sizeof *n->letters);
    n->again = PyMem_Calloc((size_t)n->count + 1, sizeof *n->again);
    int failed = n->letters == NULL || n->again == NULL;
    for (int index = 0; !failed && index < n->count; index++)
        failed = add_needle(n, index, PyTuple_GET_ITEM(words, index));
    PyObject *capsule = failed ? NULL : PyCapsule_New(n, NEEDLES, free_needles);
    if (capsule == NULL) {
        clear_needles(n);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    return capsule;
}

/* The second letter of those that may begin here; 0 for none. */
static int32_t may_begin(const Needles *n, const unsigned char *p)
{
    if (!(n->starts[p[0]][p[1] >> 6] >> (p[1] & 63) & 1))
        return 0;
    const int32_t *first = n->first[LOWER[p[0]]];
    return first == NULL ? 0 : first[LOWER[p[1]]];
}

/* The places of those that the text holds, in the order in which they are met. */
static int find_needles(
    const Needles *n, const unsigned char *p, Py_ssize_t size, uint8_t *seen, int16_t *places)
{
    const unsigned char *end = p + size;
    int found = 0;
    for (; end - p >= 2; p++) {
        int32_t at = may_begin(n, p);
        for (const unsigned char *q = p + 2; at; q++) {
            for (int index = n->letters[at].ends; index >= 0; index = n->again[index])
                if (!seen[index]) {
                    seen[index] = 1;
                    places[found++] = (int16_t)index;
                }
            at = q < end ? find_below(n, at, LOWER[*q]) : 0;
        }
    }
    return found;
}

static int by_place(const void *one, const void *other)
{
    return *(const int16_t *)one - *(const int16_t *)other;
}

static PyObject *listed(int16_t *places, int count)
{
    if (count > 1)
        qsort(places, (size_t)count, sizeof *places, by_place);
    PyObject *list = PyList_New(count);
    for (int k = 0; list != NULL && k < count; k++) {
        PyObject *number = PyLong_FromLong(places[k]);
        if (number == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, k, number);
    }
    return list;
}

static PyObject *held(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    Needles *n = count == 2 ? PyCapsule_GetPointer(args[0], NEEDLES) : NULL;
    if (n == NULL) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_TypeError, "held(needles, text)");
        return NULL;
    }
    uint8_t seen[MOST_NEEDLES];
    int16_t places[MOST_NEEDLES];
    memset(seen, 0, (size_t)n->count);
    const char *text;
    Py_ssize_t size;
    int found;
    if (PyBytes_Check(args[1])) {
        found = find_needles(n, (const unsigned char *)PyBytes_AS_STRING(args[1]),
                             PyBytes_GET_SIZE(args[1]), seen, places);
    } else if ((text = PyUnicode_AsUTF8AndSize(args[1], &size)) != NULL) {
        found = find_needles(n, (const unsigned char *)text, size, seen, places);
    } else {
        /* Halves of pairs are no UTF-8. */
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return NULL;
        PyErr_Clear();
        PyObject *encoded = PyUnicode_AsEncodedString(args[1], "utf-8", "surrogatepass");
        if (encoded == NULL)
            return NULL;
        found = find_needles(n, (const unsigned char *)PyBytes_AS_STRING(encoded),
                             PyBytes_GET_SIZE(encoded), seen, places);
        Py_DECREF(encoded);
    }
    return listed(places, found);
}
