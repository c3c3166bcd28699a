/* What does a page hold that a crawl needs, found in one pass over its bytes and without a tree?
 *
 * The WHATWG tokenizer, and its tree construction as far as it can be followed by the stack of open
 * elements alone. It answers only when it is certain that the tree would say the same: where nodes
 * would be moved that nobody keeps here (what a table throws out, a block of the page's frame in
 * misnested formatting), or come from elsewhere (shadow roots), it gives up, and the caller builds
 * the tree. So this decides how fast a page is read, never how.
 *
 * Every byte that is looked at lies below `end`; every buffer is as large as the page; the stack
 * of open elements and the list of formatting elements are bounded. The work is linear: whatever
 * looks back, looks at those. `make fuzz` holds all this.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One unit for the compiler, so that what is called for every byte is no call. */
#include "rules.h"
#include "names.c"
#include "scan.h"
#include "references.c"
#include "told.c"
#include "tree.c"
#include "tags.c"
#include "formatting.c"
#include "texts.c"
#include "templates.c"
#include "drawings.c"
#include "tables.c"
#include "starts.c"
#include "ends.c"
#include "tokens.c"
#include "hashes.c"
#include "characters.c"
#include "main_text.c"
#include "bounds.c"
#include "needles.c"
#include "for_sale.c"
#include "zones.c"
#include "walk.c"
#include "links.c"

/* How many nodes the tree has, at most, counted as in bounds.c: elements, what is opened again by the
 * bytes that were read for it, what a tag implies, the text behind it, attributes and mistakes by the
 * bytes of the page. Where every step was certain that is far less than what bytes alone can tell. */
static Py_ssize_t most_nodes(Scan *s, Py_ssize_t size)
{
    Py_ssize_t again = MOST_RUNS * size - s->budget;
    return 16 + s->serials + again / PER_NODE + 5 * s->tags + size / PER_NODE + s->merged * size;
}

static int told(Scan *s, Py_ssize_t size, PyObject **result)
{
    PyObject *written;
    PyObject *lines;
    Py_ssize_t words;
    CHECK(main_text(s, &written, &lines, &words));
    *result = Py_BuildValue(
        "(OOOONNnn)", s->found, s->hrefs, s->rels, s->area_rels, written, lines, words,
        most_nodes(s, size));
    return *result == NULL ? FAILED : FINE;
}

static int prepare(Scan *s, const unsigned char *body, Py_ssize_t size)
{
    s->p = body;
    s->end = body + size;
    s->most = size + 64;
    s->budget = MOST_RUNS * size;
    s->room = 32;
    s->node_room = 256;
    s->text = PyMem_Malloc((size_t)s->most * 2);
    s->records = PyMem_Malloc((size_t)s->room * sizeof *s->records);
    s->nodes = PyMem_Malloc((size_t)s->node_room * sizeof *s->nodes);
    if (s->text == NULL || s->records == NULL || s->nodes == NULL) {
        PyErr_NoMemory();
        return FAILED;
    }
    s->scratch = s->text + s->most;
    s->found = PyList_New(0);
    s->hrefs = PyList_New(0);
    s->rels = PyList_New(0);
    s->area_rels = PyList_New(0);
    if (!s->found || !s->hrefs || !s->rels || !s->area_rels)
        return FAILED;
    /* The html element, which is always there. */
    s->depth = 1;
    s->open[0].id = HTML;
    s->open[0].flags = SPECIAL | SCOPE;
    s->open[0].record = -1;
    s->open[0].level = -1;
    s->open[0].serial = ++s->serials;
    return FINE;
}

#ifndef ALWAYS_COPY /* for sanitizers: Python's bytes end in a zero, which is not the page's */
#define ALWAYS_COPY 0
#endif

/* Before anything is read, carriage returns become line feeds, in a copy of the page. */
static int mend_lines(Scan *s)
{
    const unsigned char *p = s->p, *next = memchr(p, '\r', (size_t)(s->end - p));
    if (next == NULL && !ALWAYS_COPY)
        return FINE;
    unsigned char *out = s->mended = PyMem_Malloc((size_t)(s->end - p));
    if (out == NULL) {
        PyErr_NoMemory();
        return FAILED;
    }
    for (; next != NULL; next = memchr(p, '\r', (size_t)(s->end - p))) {
        memcpy(out, p, (size_t)(next - p));
        out += next - p;
        *out++ = '\n';
        p = next + 1;
        p += p < s->end && *p == '\n';
    }
    memcpy(out, p, (size_t)(s->end - p));
    s->end = out + (s->end - p);
    s->p = s->mended;
    return FINE;
}

static void clean_up(Scan *s)
{
    PyMem_Free(s->records);
    PyMem_Free(s->text);
    PyMem_Free(s->nodes);
    PyMem_Free(s->mended);
    Py_XDECREF(s->found);
    Py_XDECREF(s->hrefs);
    Py_XDECREF(s->rels);
    Py_XDECREF(s->area_rels);
}

static PyObject *scan(PyObject *module, PyObject *body)
{
    if (!PyBytes_Check(body)) {
        PyErr_SetString(PyExc_TypeError, "a page is scanned in bytes");
        return NULL;
    }
    const unsigned char *bytes = (const unsigned char *)PyBytes_AS_STRING(body);
    Py_ssize_t size = PyBytes_GET_SIZE(body);
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        size -= 3;
    }
    if (size > UINT32_MAX / 4 || memchr(bytes, 0, (size_t)size))
        Py_RETURN_NONE;
    Scan *s = PyMem_Calloc(1, sizeof *s);
    if (s == NULL)
        return PyErr_NoMemory();
    s->state = PyModule_GetState(module);
    int answer = prepare(s, bytes, size);
    if (answer == FINE)
        answer = mend_lines(s);
    if (answer == FINE)
        answer = scan_all(s);
    PyObject *result = NULL;
    if (answer == FINE)
        answer = told(s, size, &result);
    if (answer == UNSURE)
        result = Py_NewRef(Py_None);
    clean_up(s);
    PyMem_Free(s);
    return result;
}

static PyMethodDef METHODS[] = {
    {"scan", scan, METH_O,
     "scan(body: bytes) -> tuple | None\n\nWhat a page in UTF-8 holds; None when only its tree"
     " can tell."},
    {"bare", bare, METH_O, "bare(written: bytes) -> bytes\n\nSee text.py."},
    {"simhash", simhash, METH_VARARGS,
     "simhash(bare: bytes, tables: tuple[bytes, ...], dense: bytes, of_figures: bytes)"
     " -> int | None\n\nSee similar.py."},
    {"sketch", sketch, METH_VARARGS,
     "sketch(sampled: bytes, table: bytes, own: bytes) -> bytes\n\nSee sketch.py."},
    {"heard_first", heard_first, METH_VARARGS,
     "heard_first(known: array[int], hashes: bytes, place: int) -> bytes\n\nSee sketch.py."},
    {"of_kind", of_kind, METH_VARARGS,
     "of_kind(hashes: bytes, kind: int) -> bytes\n\nSee sketch.py."},
    {"needles", needles, METH_O,
     "needles(words: tuple[bytes, ...]) -> object\n\nMade ready to be looked for: see needles.py."},
    {"held", (PyCFunction)(void (*)(void))held, METH_FASTCALL,
     "held(needles: object, text: str | bytes) -> list[int]\n\nThe places of those it holds."},
    {"offered", (PyCFunction)(void (*)(void))offered, METH_FASTCALL,
     "offered(needles: object, kinds: bytes, body: bytes) -> bool\n\nWhether anything is for sale:"
     " see for_sale.py."},
    {"told_by", told_by, METH_O,
     "told_by(body: bytes) -> int\n\nIn whose words machines are told of a product: see for_sale.py."},
    {"priced", priced, METH_O,
     "priced(body: bytes) -> int\n\nWhere a page says price: see for_sale.py."},
    {"walk", walk, METH_VARARGS,
     "walk(nodes, page, most, types, tags, names, asked, more) -> tuple\n\nSee product/outline.py."},
    {"inherit", inherit, METH_VARARGS,
     "inherit(own, above, holders, handed_down, lost) -> bytes\n\nSee product/outline.py."},
    {"pieces", pieces, METH_VARARGS,
     "pieces(kind, lines, places, parents, elements, zones, figures, end, away) -> list\n\n"
     "See product/outline.py."},
    {"tree_bound", tree_bound, METH_O,
     "tree_bound(body: bytes) -> int\n\nHow many nodes its tree has, at most: see bounds.py."},
    {"distinct", distinct, METH_VARARGS,
     "distinct(spelled: list[str], is_dropped, most: int) -> tuple[str, ...]\n\nSee links.py."},
    {"counting", counting, METH_VARARGS,
     "counting(links: tuple[str, ...], starts: tuple[str, ...], named: str, longest: int,"
     " whole: int) -> list[str]\n\nSee pager/turning.py."},
    {"names_year", names_year, METH_VARARGS,
     "names_year(text: bytes, most: int) -> bool\n\nSee dates/shown.py."},
    {NULL, NULL, 0, NULL},
};

static int fill_state(PyObject *module)
{
    State *state = PyModule_GetState(module);
    fill_crc_tables();
    fill_crc_of_zeros();
    fill_names();
    fill_kinds();
    if (choose_secret())
        return -1;
    for (int n = 0; n < NAME_COUNT; n++) {
        PyObject **tag = &state->tags[NAME_LIST[n].id];
        if (*tag == NULL && (*tag = PyUnicode_InternFromString(NAME_LIST[n].name)) == NULL)
            return -1;
    }
    fill_lower();
    for (int n = 0; n < ATTRIBUTES_COUNT; n++)
        if ((state->attributes[n] = PyUnicode_InternFromString(ATTRIBUTES[n])) == NULL)
            return -1;
    if (PyModule_AddObject(module, "RULES", PyLong_FromUnsignedLong(RULES_SUM)))
        return -1;
    return PyModule_AddObject(module, "CALLS", PyLong_FromUnsignedLong(CALLS_SUM));
}

static int visit_state(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    for (int n = 0; n < MOST_NAMES; n++)
        Py_VISIT(state->tags[n]);
    for (int n = 0; n < ATTRIBUTES_COUNT; n++)
        Py_VISIT(state->attributes[n]);
    Py_VISIT(state->entities);
    return 0;
}

static int clear_state(PyObject *module)
{
    State *state = PyModule_GetState(module);
    for (int n = 0; n < MOST_NAMES; n++)
        Py_CLEAR(state->tags[n]);
    for (int n = 0; n < ATTRIBUTES_COUNT; n++)
        Py_CLEAR(state->attributes[n]);
    Py_CLEAR(state->entities);
    return 0;
}

static void free_state(void *module)
{
    clear_state(module);
}

/* In phases, so that every interpreter that asks for it has one of its own. */
static PyModuleDef_Slot SLOTS_OF_MODULE[] = {
    {Py_mod_exec, fill_state},
    {0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "tenax.page._native", "One pass over a page: see scan.py.",
    sizeof(State), METHODS, SLOTS_OF_MODULE, visit_state, clear_state, free_state,
};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&MODULE);
}
