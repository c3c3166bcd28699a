/* The walk over a shop's page: what `outline.py` does in `_walk`, which says why. The nodes are the
 * parser's own objects; what this spares is the interpreter between one question and the next. */

#define HANDED_DOWN_UNSEEN 32768 /* Zone.UNSEEN */

/* What nodes are asked for. */
enum { S_PARENT, S_TAG, S_ATTR, S_DATA, S_CLASS, S_ID, S_HIDDEN, S_STYLE, S_EMPTY, S_COUNT };
static const char *const ASKED[S_COUNT] = {
    "parent", "tag", "attr", "data", "class", "id", "hidden", "style", "",
};

typedef struct {
    PyObject *names[S_COUNT];
    PyObject *element, *text;                /* types of nodes */
    PyObject *attr;                          /* the method of all elements */
    PyObject *tags, *plain, *noted_tags;     /* what tags say; not asked for styles; noted */
    PyObject *named, *styled, *line;        /* functions of names, of styles, of texts */
    PyObject *more;                          /* what has more than a class */
    PyObject *elements, *numbers, *above, *own, *noted, *texts;
    long *zones;
    Py_ssize_t count;
} Walk;

static PyObject *asked_for(Walk *w, PyObject *node, PyObject *name)
{
    PyObject *args[2] = {node, name};
    return PyObject_Vectorcall(w->attr, args, 2, NULL);
}

static int is_said(PyObject *value)
{
    return value != Py_None && !(PyUnicode_Check(value) && PyUnicode_GET_LENGTH(value) == 0);
}

/* Adds what a function of one or two texts answers. */
static int ask(PyObject *function, PyObject *one, PyObject *other, long *zone)
{
    PyObject *args[2] = {one, other};
    PyObject *answer = PyObject_Vectorcall(function, args, other == NULL ? 1 : 2, NULL);
    if (answer == NULL)
        return -1;
    *zone |= PyLong_AsLong(answer);
    Py_DECREF(answer);
    return PyErr_Occurred() ? -1 : 0;
}

static int is_root(PyObject *tag)
{
    return PyUnicode_CompareWithASCIIString(tag, "html") == 0 ||
           PyUnicode_CompareWithASCIIString(tag, "body") == 0;
}

static int named_by(Walk *w, PyObject *node, PyObject *tag, int has_more, long *zone)
{
    PyObject *classes = asked_for(w, node, w->names[S_CLASS]);
    PyObject *id = has_more ? asked_for(w, node, w->names[S_ID]) : Py_NewRef(Py_None);
    int failed = classes == NULL || id == NULL;
    if (!failed && (is_said(classes) || is_said(id)) && !is_root(tag))
        failed = ask(w->named, classes == Py_None ? w->names[S_EMPTY] : classes, id == Py_None ? w->names[S_EMPTY] : id,
                     zone);
    Py_XDECREF(classes);
    Py_XDECREF(id);
    return failed;
}

static int styled_by(Walk *w, PyObject *node, long *zone)
{
    PyObject *hidden = asked_for(w, node, w->names[S_HIDDEN]), *style = asked_for(w, node, w->names[S_STYLE]);
    int failed = hidden == NULL || style == NULL;
    if (!failed && hidden != Py_None)
        *zone |= 1; /* Zone.HIDDEN */
    if (!failed && is_said(style))
        failed = ask(w->styled, style, NULL, zone);
    Py_XDECREF(hidden);
    Py_XDECREF(style);
    return failed;
}

/* `zones.own_zone` */
static int own_zone(Walk *w, PyObject *node, PyObject *tag, long *zone)
{
    PyObject *name = PyDict_GetItemWithError(w->more, node);
    PyObject *said = PyDict_GetItemWithError(w->tags, tag);
    *zone = said == NULL ? 0 : PyLong_AsLong(said);
    if (PyErr_Occurred() || named_by(w, node, tag, name != NULL, zone))
        return -1;
    if (name == NULL)
        return 0;
    if (is_said(name) && ask(w->named, name, w->names[S_EMPTY], zone))
        return -1;
    int is_plain = PySet_Contains(w->plain, tag);
    return is_plain < 0 || (!is_plain && styled_by(w, node, zone)) ? -1 : 0;
}

static Py_ssize_t number_of_parent(Walk *w, PyObject *node)
{
    PyObject *parent = PyObject_GetAttr(node, w->names[S_PARENT]);
    if (parent == NULL)
        return -1;
    PyObject *number = PyDict_GetItemWithError(w->numbers, parent);
    Py_DECREF(parent);
    if (number == NULL)
        return PyErr_Occurred() ? -1 : 0;
    return PyLong_AsSsize_t(number);
}

static int append_new(PyObject *list, PyObject *item)
{
    int failed = item == NULL || PyList_Append(list, item);
    Py_XDECREF(item);
    return failed ? -1 : 0;
}

static int take_element(Walk *w, PyObject *node, Py_ssize_t place)
{
    Py_ssize_t parent = number_of_parent(w, node);
    PyObject *number = parent < 0 ? NULL : PyLong_FromSsize_t(w->count);
    int failed = number == NULL || PyDict_SetItem(w->numbers, node, number) ||
                 PyList_Append(w->elements, node) ||
                 append_new(w->above, PyLong_FromSsize_t(parent));
    Py_XDECREF(number);
    if (failed)
        return -1;
    long zone = HANDED_DOWN_UNSEEN;
    if (!(w->zones[parent] & HANDED_DOWN_UNSEEN)) {
        PyObject *tag = PyObject_GetAttr(node, w->names[S_TAG]);
        int is_noted = tag == NULL || own_zone(w, node, tag, &zone)
                           ? -1
                           : PySet_Contains(w->noted_tags, tag);
        failed = is_noted < 0 ||
                 (is_noted && append_new(w->noted, Py_BuildValue("(nnO)", place, w->count, tag)));
        Py_XDECREF(tag);
        if (failed)
            return -1;
    }
    w->zones[w->count++] = zone;
    return append_new(w->own, PyLong_FromLong(zone));
}

static int is_all_space(PyObject *text)
{
    int kind = (int)PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    for (Py_ssize_t k = 0, size = PyUnicode_GET_LENGTH(text); k < size; k++)
        if (!Py_UNICODE_ISSPACE(PyUnicode_READ(kind, data, k)))
            return 0;
    return 1;
}

static int take_text(Walk *w, PyObject *node, Py_ssize_t place)
{
    /* Behind an element that is not seen it may be a script, which is long. */
    Py_ssize_t parent = -1;
    if (w->zones[w->count - 1] & HANDED_DOWN_UNSEEN) {
        if ((parent = number_of_parent(w, node)) < 0)
            return -1;
        if (w->zones[parent] & HANDED_DOWN_UNSEEN)
            return 0;
    }
    PyObject *data = PyObject_GetAttr(node, w->names[S_DATA]);
    int failed = data == NULL || !PyUnicode_Check(data);
    if (!failed && !is_all_space(data)) {
        if (parent < 0)
            parent = number_of_parent(w, node);
        failed = parent < 0;
        if (!failed && !(w->zones[parent] & HANDED_DOWN_UNSEEN)) {
            PyObject *line = PyObject_CallOneArg(w->line, data);
            failed = line == NULL ||
                     append_new(w->texts, Py_BuildValue("(nOn)", place, line, parent));
            Py_XDECREF(line);
        }
    }
    Py_XDECREF(data);
    return failed ? -1 : 0;
}

static int walk_all(Walk *w, PyObject *nodes, Py_ssize_t most)
{
    PyObject *iterator = PyObject_GetIter(nodes), *node;
    if (iterator == NULL)
        return -1;
    int failed = 0;
    for (Py_ssize_t place = 0; place < most && (node = PyIter_Next(iterator)) != NULL; place++) {
        if (PyObject_TypeCheck(node, (PyTypeObject *)w->element))
            failed = take_element(w, node, place);
        else if (PyObject_TypeCheck(node, (PyTypeObject *)w->text))
            failed = take_text(w, node, place);
        Py_DECREF(node);
        if (failed)
            break;
    }
    Py_DECREF(iterator);
    return failed || PyErr_Occurred() ? -1 : 0;
}

static PyObject *walk(PyObject *module, PyObject *args)
{
    (void)module;
    Walk w = {0};
    PyObject *nodes, *page, *zero = NULL, *result = NULL;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(
            args, "OOn(O!O!)(O!O!O!)(OOO)O!", &nodes, &page, &most, &PyType_Type, &w.element,
            &PyType_Type, &w.text, &PyDict_Type, &w.tags, &PyFrozenSet_Type, &w.plain,
            &PyFrozenSet_Type, &w.noted_tags, &w.named, &w.styled, &w.line, &PyDict_Type, &w.more))
        return NULL;
    for (int n = 0; n < S_COUNT; n++)
        if ((w.names[n] = PyUnicode_InternFromString(ASKED[n])) == NULL)
            goto done;
    w.attr = PyObject_GetAttr(w.element, w.names[S_ATTR]);
    if (w.attr == NULL)
        goto done;
    w.zones = PyMem_Malloc((size_t)(most + 1) * sizeof *w.zones);
    if (w.zones == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    w.zones[0] = 0;
    w.count = 1;
    zero = PyLong_FromLong(0);
    w.numbers = PyDict_New();
    w.elements = Py_BuildValue("[O]", page);
    w.above = Py_BuildValue("[O]", zero);
    w.own = Py_BuildValue("[O]", zero);
    w.noted = PyList_New(0);
    w.texts = PyList_New(0);
    if (zero && w.numbers && w.elements && w.above && w.own && w.noted && w.texts &&
        PyDict_SetItem(w.numbers, page, zero) == 0 && walk_all(&w, nodes, most) == 0)
        result = Py_BuildValue(
            "(OOOOOO)", w.elements, w.numbers, w.above, w.own, w.noted, w.texts);
done:
    PyMem_Free(w.zones);
    for (int n = 0; n < S_COUNT; n++)
        Py_XDECREF(w.names[n]);
    Py_XDECREF(w.attr);
    Py_XDECREF(zero);
    Py_XDECREF(w.numbers);
    Py_XDECREF(w.elements);
    Py_XDECREF(w.above);
    Py_XDECREF(w.own);
    Py_XDECREF(w.noted);
    Py_XDECREF(w.texts);
    return result;
}

/* `outline._inherited`: what each element says, and what those around it hand down. */
static PyObject *inherit(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *own, *above, *holders;
    long handed_down, lost;
    if (!PyArg_ParseTuple(args, "O!O!O!ll", &PyList_Type, &own, &PyList_Type, &above, &PySet_Type,
                          &holders, &handed_down, &lost))
        return NULL;
    Py_ssize_t size = PyList_GET_SIZE(own);
    long *zones = PyMem_Malloc((size_t)(size + 1) * sizeof *zones);
    PyObject *list = zones == NULL ? PyErr_NoMemory() : PyList_New(size);
    for (Py_ssize_t n = 0; list != NULL && n < size; n++) {
        Py_ssize_t parent =
            n < PyList_GET_SIZE(above) ? PyLong_AsSsize_t(PyList_GET_ITEM(above, n)) : -1;
        PyObject *number = PyLong_FromSsize_t(n);
        int holds = number == NULL ? -1 : PySet_Contains(holders, number);
        Py_XDECREF(number);
        if (holds < 0 || parent < 0 || parent > n) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "parents come before their children");
            Py_CLEAR(list);
            break;
        }
        zones[n] = PyLong_AsLong(PyList_GET_ITEM(own, n));
        if (holds)
            zones[n] &= ~lost;
        if (n > 0)
            zones[n] |= zones[parent] & handed_down;
        PyObject *zone = PyLong_FromLong(zones[n]);
        if (zone == NULL)
            Py_CLEAR(list);
        else
            PyList_SET_ITEM(list, n, zone);
    }
    PyMem_Free(zones);
    return list;
}
