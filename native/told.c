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
    for (int which = 0; which < ATTRIBUTES_COUNT; which++) {
        if (!s->has[which])
            continue;
        PyObject *value;
        int answer = attribute(s, which, &value);
        if (answer == FINE) {
            if (PyDict_SetItem(attributes, s->state->attributes[which], value))
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

static PyObject *lower_case(Piece name)
{
    PyObject *text = PyUnicode_New(name.size, 127); /* names of tags are ASCII: see `on_tag` */
    if (text != NULL)
        for (Py_ssize_t n = 0; n < name.size; n++)
            PyUnicode_1BYTE_DATA(text)[n] = lower(name.at[n]);
    return text;
}

/* List an element: its tag, its attributes, its text if it has one of its own, and whether it
 * stands in an article. */
static int tell(Scan *s, int id, Piece name, Piece text)
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
    PyObject *tag = id == UNKNOWN ? lower_case(name) : Py_NewRef(s->state->tags[id]);
    return append(s->found, Py_BuildValue("(NNNO)", tag, attributes, content, inside));
}

/* Whether it is told for its itemprop. */
static int is_dated(Scan *s)
{
    Piece said = s->attribute[ATTR_ITEMPROP];
    if (s->has[ATTR_ITEMPROP])
        for (int n = 0; n < LISTED_PROPERTIES_COUNT; n++)
            if (strlen(LISTED_PROPERTIES[n]) == (size_t)said.size &&
                memcmp(LISTED_PROPERTIES[n], said.at, (size_t)said.size) == 0)
                return 1;
    return 0;
}

/* List an element if Python wants to know of it (rules.h). */
static int tell_listed(Scan *s, int id, int flags, Piece name)
{
    Piece none = {NULL, 0};
    int is_told = 0;
    if (s->has[ATTR_ITEMPROP] == 2)
        return UNSURE;
    if (id == SCRIPT || id == TITLE)
        return is_dated(s) ? UNSURE : FINE; /* those tell their text, too */
    if (flags & LISTED_ALWAYS)
        is_told = id != TIME || s->times++ < MOST_TIMES;
    if (flags & LISTED_IF && s->has[IF_ATTRIBUTE[id]])
        is_told |= s->conditional++ < MOST_TIMES;
    if (is_dated(s))
        is_told |= s->dated++ < MOST_TIMES;
    return is_told ? tell(s, id, name, none) : FINE;
}

/* An anchor or area: where it leads, without the fragment, and what is said of that. */
static int tell_link(Scan *s, int id)
{
    if (s->has[ATTR_HREF]) {
        Piece piece = s->attribute[ATTR_HREF];
        if (s->has[ATTR_HREF] == 2) {
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
    if (!s->has[ATTR_REL])
        return FINE;
    PyObject *rel, *whole;
    CHECK(attribute(s, ATTR_REL, &rel));
    int answer = attribute(s, ATTR_HREF, &whole);
    if (answer != FINE) {
        Py_DECREF(rel);
        return answer;
    }
    return append(id == A ? s->rels : s->area_rels, Py_BuildValue("(NN)", rel, whole));
}
