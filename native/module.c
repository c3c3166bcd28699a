/* What does a page hold that a crawl needs, found in one pass over its bytes and without a tree?
 *
 * The WHATWG tokenizer, and as much of its tree construction as pages without mistakes need. It
 * answers only when it is certain that the tree would say the same: at whatever it does not
 * follow to the letter (misnested formatting, text that a table would throw out, templates,
 * frames, an entity that does not end) it gives up, and the caller builds the tree. So this
 * decides how fast a page is read, never how.
 *
 * Every byte that is looked at lies below `end`; every buffer is as large as the page; the stack
 * of open elements is bounded. The work is linear: whatever looks back, looks at that stack.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One unit for the compiler, so that what is called for every byte is no call. */
#include "names.c"
#include "scan.h"
#include "references.c"
#include "told.c"
#include "tree.c"
#include "starts.c"
#include "ends.c"
#include "tokens.c"
#include "hashes.c"
#include "main_text.c"
#include "needles.c"
#include "for_sale.c"
#include "walk.c"

static int told(Scan *s, PyObject **result)
{
    PyObject *written;
    PyObject *lines;
    Py_ssize_t words;
    CHECK(main_text(s, &written, &lines, &words));
    *result = Py_BuildValue(
        "(OOOONNn)", s->found, s->hrefs, s->rels, s->area_rels, written, lines, words);
    return *result == NULL ? FAILED : FINE;
}

static int prepare(Scan *s, const unsigned char *body, Py_ssize_t size)
{
    s->p = body;
    s->end = body + size;
    s->most = size + 64;
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
    return FINE;
}

static void clean_up(Scan *s)
{
    PyMem_Free(s->records);
    PyMem_Free(s->text);
    PyMem_Free(s->nodes);
    Py_XDECREF(s->found);
    Py_XDECREF(s->hrefs);
    Py_XDECREF(s->rels);
    Py_XDECREF(s->area_rels);
}

static PyObject *scan(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *body, *frame_names, *landmark_roles;
    if (!PyArg_ParseTuple(
            args, "SO!O!", &body, &PyFrozenSet_Type, &frame_names, &PyFrozenSet_Type,
            &landmark_roles))
        return NULL;
    const unsigned char *bytes = (const unsigned char *)PyBytes_AS_STRING(body);
    Py_ssize_t size = PyBytes_GET_SIZE(body);
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        size -= 3;
    }
    /* Zeros and carriage returns are replaced before anything is read. */
    if (size > UINT32_MAX / 4 || memchr(bytes, 0, (size_t)size) ||
        memchr(bytes, '\r', (size_t)size))
        Py_RETURN_NONE;
    Scan *s = PyMem_Calloc(1, sizeof *s);
    if (s == NULL)
        return PyErr_NoMemory();
    s->frame_names = frame_names;
    s->landmark_roles = landmark_roles;
    int answer = prepare(s, bytes, size);
    if (answer == FINE)
        answer = scan_all(s);
    PyObject *result = NULL;
    if (answer == FINE)
        answer = told(s, &result);
    if (answer == UNSURE)
        result = Py_NewRef(Py_None);
    clean_up(s);
    PyMem_Free(s);
    return result;
}

static PyMethodDef METHODS[] = {
    {"scan", scan, METH_VARARGS,
     "scan(body: bytes, frame_names: frozenset[str], landmark_roles: frozenset[str])"
     " -> tuple | None\n\nWhat a page in UTF-8 holds; None when only its tree can tell."},
    {"bare", bare, METH_O, "bare(written: bytes) -> bytes\n\nSee text.py."},
    {"simhash", simhash, METH_VARARGS,
     "simhash(bare: bytes, tables: tuple[bytes, ...], dense: bytes, of_figures: bytes)"
     " -> int | None\n\nSee similar.py."},
    {"sketch", sketch, METH_VARARGS,
     "sketch(sampled: bytes, table: bytes, own: bytes) -> tuple[int, ...]\n\nSee sketch.py."},
    {"needles", needles, METH_O,
     "needles(words: tuple[bytes, ...]) -> object\n\nMade ready to be looked for: see needles.py."},
    {"held", (PyCFunction)(void (*)(void))held, METH_FASTCALL,
     "held(needles: object, text: str | bytes) -> list[int]\n\nThe places of those it holds."},
    {"shown", (PyCFunction)(void (*)(void))shown, METH_FASTCALL,
     "shown(needles: object, body: bytes) -> bool\n\nWhether any stands outside of scripts."},
    {"told_by", told_by, METH_O,
     "told_by(body: bytes) -> int\n\nIn whose words machines are told of a product: see for_sale.py."},
    {"priced", priced, METH_O,
     "priced(body: bytes) -> int\n\nWhere a page says price: see for_sale.py."},
    {"walk", walk, METH_VARARGS,
     "walk(nodes, page, most, types, tags, asked, more) -> tuple\n\nSee product/outline.py."},
    {"inherit", inherit, METH_VARARGS,
     "inherit(own, above, holders, handed_down, lost) -> list[int]\n\nSee product/outline.py."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "tenax.page._native", "One pass over a page: see scan.py.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void)
{
    fill_crc_tables();
    fill_lower();
    if (fill_names() || choose_secret() || intern_names())
        return NULL;
    return PyModule_Create(&MODULE);
}
