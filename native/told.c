/* How does Python hear of what was found? */

static int as_string(Scan *s, Piece piece, int has_references, PyObject **told)
{
    const char *at = (const char *)piece.at;
    Py_ssize_t size = piece.size;
    if (has_references) {
        CHECK(resolved(s, piece, 1, &size));
        at = (const char *)s->scratch;
    }
    *told = PyUnicode_DecodeUTF8(at, size, NULL);
    if (*told == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeDecodeError))
            return FAILED;
        PyErr_Clear();
        return UNSURE;
    }
    return FINE;
}

static int attribute(Scan *s, int which, PyObject **told)
{
    if (!s->has[which]) {
        *told = Py_NewRef(Py_None);
        return FINE;
    }
    return as_string(s, s->attribute[which], s->has[which] == 2, told);
}

static int append(PyObject *list, PyObject *item)
{
    if (item == NULL)
        return FAILED;
    int failed = PyList_Append(list, item);
    Py_DECREF(item);
    return failed ? FAILED : FINE;
}

static int all_attributes(Scan *s, PyObject **told)
{
    PyObject *attributes = PyDict_New();
    if (attributes == NULL)
        return FAILED;
    for (int which = 0; which < ATTRIBUTES; which++) {
        if (!s->has[which])
            continue;
        PyObject *value;
        int answer = attribute(s, which, &value);
        if (answer == FINE) {
            if (PyDict_SetItem(attributes, ATTRIBUTE_NAMES[which], value))
                answer = FAILED;
            Py_DECREF(value);
        }
        if (answer != FINE) {
            Py_DECREF(attributes);
            return answer;
        }
    }
    *told = attributes;
    return FINE;
}

static int is_open(Scan *s, int id)
{
    for (int n = s->depth - 1; n >= 0; n--)
        if (s->open[n].id == id && !s->open[n].foreign)
            return 1;
    return 0;
}

/* List an element: its tag, its attributes, its text if it has one of its own, and whether it
 * stands in an article. */
static int tell(Scan *s, int id, Piece text)
{
    PyObject *attributes, *content;
    if (PyList_GET_SIZE(s->found) == MOST_LISTED)
        return UNSURE;
    if (text.at == NULL)
        content = Py_NewRef(Py_None);
    else
        CHECK(as_string(s, text, 0, &content));
    int answer = all_attributes(s, &attributes);
    if (answer != FINE) {
        Py_DECREF(content);
        return answer;
    }
    PyObject *inside = is_open(s, ARTICLE) ? Py_True : Py_False;
    return append(s->found, Py_BuildValue("(ONNO)", TAG_NAMES[id], attributes, content, inside));
}

/* An anchor or area: where it leads, without the fragment, and what is said of that. */
static int tell_link(Scan *s, int id)
{
    if (s->has[HREF]) {
        Piece piece = s->attribute[HREF];
        if (s->has[HREF] == 2) {
            CHECK(resolved(s, piece, 1, &piece.size));
            piece.at = s->scratch;
        }
        const unsigned char *mark = memchr(piece.at, '#', (size_t)piece.size);
        if (mark != NULL)
            piece.size = mark - piece.at;
        if (piece.size) {
            PyObject *href;
            CHECK(as_string(s, piece, 0, &href));
            CHECK(append(s->hrefs, href));
        }
    }
    if (!s->has[REL])
        return FINE;
    PyObject *rel, *whole;
    CHECK(attribute(s, REL, &rel));
    int answer = attribute(s, HREF, &whole);
    if (answer != FINE) {
        Py_DECREF(rel);
        return answer;
    }
    return append(id == A ? s->rels : s->area_rels, Py_BuildValue("(NN)", rel, whole));
}
