/* Which of many short strings does a text hold? One pass over its bytes: see needles.py.
 *
 * Two bytes tell for nearly every place that none of them begins there. Where one may, those
 * that begin with these two are compared, and that is at most a few. */

#define MOST_NEEDLES 4096
#define LONGEST_NEEDLE 200
#define NEEDLES "tenax.needles"

typedef struct {
    int count;
    uint8_t starts[65536];         /* whether anything begins with these two bytes, in any case */
    int16_t first[65536];          /* the first that does, in lower case; -1 for none */
    int16_t next[MOST_NEEDLES];    /* another that begins like it */
    uint8_t sizes[MOST_NEEDLES];
    const unsigned char *at[MOST_NEEDLES];
    PyObject *kept;                /* whose bytes these are */
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
    unsigned pair = one << 8 | two;
    n->starts[pair] = 1;
}

static int add_needle(Needles *n, int index, PyObject *word)
{
    Py_ssize_t size = PyBytes_Check(word) ? PyBytes_GET_SIZE(word) : 0;
    if (size < 2 || size > LONGEST_NEEDLE) {
        PyErr_SetString(PyExc_ValueError, "a needle is bytes, at least two and not very many");
        return -1;
    }
    const unsigned char *at = (const unsigned char *)PyBytes_AS_STRING(word);
    n->at[index] = at;
    n->sizes[index] = (uint8_t)size;
    unsigned pair = (unsigned)at[0] << 8 | at[1];
    n->next[index] = n->first[pair];
    n->first[pair] = (int16_t)index;
    mark_start(n, at[0], at[1]);
    mark_start(n, upper_of(at[0]), at[1]);
    mark_start(n, at[0], upper_of(at[1]));
    mark_start(n, upper_of(at[0]), upper_of(at[1]));
    return 0;
}

static void free_needles(PyObject *capsule)
{
    Needles *n = PyCapsule_GetPointer(capsule, NEEDLES);
    if (n == NULL)
        return;
    Py_XDECREF(n->kept);
    PyMem_Free(n);
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
    memset(n->first, -1, sizeof n->first);
    n->count = (int)PyTuple_GET_SIZE(words);
    /* From behind, so that of those that begin alike the first is compared first. */
    for (int index = n->count - 1; index >= 0; index--)
        if (add_needle(n, index, PyTuple_GET_ITEM(words, index))) {
            PyMem_Free(n);
            return NULL;
        }
    n->kept = Py_NewRef(words);
    PyObject *capsule = PyCapsule_New(n, NEEDLES, free_needles);
    if (capsule == NULL) {
        Py_DECREF(n->kept);
        PyMem_Free(n);
    }
    return capsule;
}

static int begins(const unsigned char *p, const unsigned char *end, const unsigned char *word,
                  Py_ssize_t size)
{
    if (end - p < size)
        return 0;
    for (Py_ssize_t k = 2; k < size; k++)
        if (LOWER[p[k]] != word[k])
            return 0;
    return 1;
}

/* The places of those that the text holds, in the order in which they are met. */
static int find_needles(
    const Needles *n, const unsigned char *p, Py_ssize_t size, uint8_t *seen, int16_t *places)
{
    const unsigned char *end = p + size;
    int found = 0;
    for (; end - p >= 2; p++) {
        unsigned pair = (unsigned)p[0] << 8 | p[1];
        if (!n->starts[pair])
            continue;
        pair = (unsigned)LOWER[p[0]] << 8 | LOWER[p[1]];
        for (int index = n->first[pair]; index >= 0; index = n->next[index])
            if (!seen[index] && begins(p, end, n->at[index], n->sizes[index])) {
                seen[index] = 1;
                places[found++] = (int16_t)index;
            }
    }
    return found;
}

static int holds_any(const Needles *n, const unsigned char *p, const unsigned char *end)
{
    for (; end - p >= 2; p++) {
        unsigned pair = (unsigned)p[0] << 8 | p[1];
        if (!n->starts[pair])
            continue;
        pair = (unsigned)LOWER[p[0]] << 8 | LOWER[p[1]];
        for (int index = n->first[pair]; index >= 0; index = n->next[index])
            if (begins(p, end, n->at[index], n->sizes[index]))
                return 1;
    }
    return 0;
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
