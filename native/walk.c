/* The walk over a shop's page: what `outline.py` does in `_walk`, which says why, and what follows. The nodes are the
 * parser's own objects; what this spares is the interpreter between one question and the next. */

#define HANDED_DOWN_UNSEEN 32768 /* Zone.UNSEEN */

/* What nodes are asked for. */
enum { S_CLASS, S_ID, S_HIDDEN, S_STYLE, S_EMPTY, S_COUNT };
static const char *const ASKED[S_COUNT] = {"class", "id", "hidden", "style", ""};
enum { D_PARENT, D_TAG, D_ATTRS, D_ATTR, D_MATCHES, D_PARENT_OF_TEXT, D_DATA, D_COUNT };
static const char *const DESCRIBED[D_COUNT] = {
    "parent", "tag", "attrs", "attr", "matches", "parent", "data",
};

#define CLASSES_HEARD 1024 /* pages repeat themselves: what these say is at hand */
#define DEEPEST_LEFT 256   /* elements that may end between one node and the next */
#define LONGEST_STYLE 300
#define LONGEST_LINE 400
#define LOOKED_AT_FOR_A_LINE (LONGEST_LINE * 4)

/* What a tag says of its elements besides their zone: `outline._OF_TAGS`. */
#define TAG_ZONE 0xFFFFFF
#define TAG_PLAIN (1 << 24)
#define TAG_NOTED (1 << 25)
#define TAG_ROOT (1 << 26)

typedef struct {
    PyObject *names[S_COUNT];
    PyObject *element, *text;                /* types of nodes */
    PyObject *described[D_COUNT];            /* what these types have of all that is asked for */
    PyObject *tags;                          /* what tags say */
    PyObject *named, *styled;                /* functions of names, of styles */
    PyObject *more, *tested, *test_names;    /* selectors, of what has more than a class; attributes */
    PyObject *elements, *noted, *lines;
    PyObject *numbers;                       /* of elements, once one is not close by */
    Names said;
    int32_t *own, *above, *places, *parents;
    Py_ssize_t count, texts;
    Py_ssize_t at; /* the element that the last node is, or stands in */
    struct {
        PyObject *classes;
        long zone;
    } heard[CLASSES_HEARD]; /* what classes say, by their letters */
} Walk;

/* The value that a node has, without looking up what its type has of that name. */
static PyObject *described(Walk *w, int which, PyObject *node)
{
    PyObject *getter = w->described[which];
    return Py_TYPE(getter)->tp_descr_get(getter, node, (PyObject *)Py_TYPE(node));
}

static PyObject *asked_for(Walk *w, PyObject *node, PyObject *name)
{
    PyObject *args[2] = {node, name};
    return PyObject_Vectorcall(w->described[D_ATTR], args, 2, NULL);
}

/* Whether a selector matches; -1 where that fails. */
static int is_matched(Walk *w, PyObject *node, PyObject *selector)
{
    PyObject *args[2] = {node, selector};
    PyObject *answer = PyObject_Vectorcall(w->described[D_MATCHES], args, 2, NULL);
    int truth = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    return truth;
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

static int name_says(Walk *w, PyObject *classes, PyObject *id, long *zone)
{
    int said = said_by_name(&w->said, classes, id);
    if (said < 0)
        return ask(w->named, classes, id, zone);
    *zone |= said;
    return 0;
}

/* Where what these letters say is at hand; others may have the same place. */
static size_t place_of_classes(const unsigned char *p, Py_ssize_t size)
{
    uint64_t first = 0, last = 0;
    memcpy(&first, p, (size_t)(size < 8 ? size : 8));
    if (size > 8)
        memcpy(&last, p + size - 8, 8);
    uint64_t mixed = (first ^ last * 0x9E3779B97F4A7C15u ^ (uint64_t)size) * 0xD6E8FEB86659FD93u;
    return (size_t)(mixed >> 40) % CLASSES_HEARD;
}

/* The same of classes alone, which are often those of an element before. */
static int classes_say(Walk *w, PyObject *classes, long *zone)
{
    if (!PyUnicode_IS_ASCII(classes))
        return name_says(w, classes, w->names[S_EMPTY], zone);
    const unsigned char *letters = PyUnicode_1BYTE_DATA(classes);
    Py_ssize_t size = PyUnicode_GET_LENGTH(classes);
    size_t at = place_of_classes(letters, size);
    PyObject *heard = w->heard[at].classes;
    if (heard == NULL || PyUnicode_GET_LENGTH(heard) != size ||
        memcmp(PyUnicode_1BYTE_DATA(heard), letters, (size_t)size) != 0) {
        long said = 0;
        if (name_says(w, classes, w->names[S_EMPTY], &said))
            return -1;
        Py_XSETREF(w->heard[at].classes, Py_NewRef(classes));
        w->heard[at].zone = said;
    }
    *zone |= w->heard[at].zone;
    return 0;
}

static int holds(const unsigned char *p, const unsigned char *end, const char *word)
{
    return find_word(p, end, word, 0) != NULL;
}

/* `zones.styled` */
static int style_says(Walk *w, PyObject *style, long *zone)
{
    unsigned char text[LONGEST_STYLE], *end = text;
    if (!PyUnicode_IS_ASCII(style))
        return ask(w->styled, style, NULL, zone);
    const unsigned char *p = PyUnicode_1BYTE_DATA(style);
    Py_ssize_t size = PyUnicode_GET_LENGTH(style);
    for (Py_ssize_t k = 0; k < size && k < LONGEST_STYLE; k++)
        if (p[k] != ' ')
            *end++ = LOWER[p[k]];
    *zone |= holds(text, end, "display:none") ? w->said.hidden : 0;
    *zone |= holds(text, end, "line-through") ? w->said.struck : 0;
    return 0;
}

static int named_by(Walk *w, PyObject *classes, PyObject *id, long tag, long *zone)
{
    if (tag & TAG_ROOT || !(is_said(classes) || is_said(id)))
        return 0;
    if (!is_said(id))
        return classes_say(w, classes, zone);
    return name_says(w, classes == Py_None ? w->names[S_EMPTY] : classes, id, zone);
}

/* How many attributes it has: to ask for one takes longer. */
static Py_ssize_t count_attributes(Walk *w, PyObject *node)
{
    PyObject *attributes = described(w, D_ATTRS, node);
    Py_ssize_t count = attributes == NULL ? -1 : PyObject_Size(attributes);
    Py_XDECREF(attributes);
    return count;
}

/* The first of the names that tests know it by. */
static int tested_by(Walk *w, PyObject *node, long *zone)
{
    int is_tested = is_matched(w, node, w->tested), failed = is_tested < 0;
    for (Py_ssize_t k = 0; is_tested > 0 && k < PyTuple_GET_SIZE(w->test_names); k++) {
        PyObject *name = asked_for(w, node, PyTuple_GET_ITEM(w->test_names, k));
        failed = name == NULL;
        if (!failed && is_said(name))
            failed = name_says(w, name, w->names[S_EMPTY], zone);
        is_tested = name == Py_None;
        Py_XDECREF(name);
    }
    return failed ? -1 : 0;
}

static int styled_by(Walk *w, PyObject *node, long *zone)
{
    PyObject *hidden = asked_for(w, node, w->names[S_HIDDEN]), *style = asked_for(w, node, w->names[S_STYLE]);
    int failed = hidden == NULL || style == NULL;
    if (!failed && hidden != Py_None)
        *zone |= w->said.hidden;
    if (!failed && is_said(style))
        failed = style_says(w, style, zone);
    Py_XDECREF(hidden);
    Py_XDECREF(style);
    return failed;
}

/* `zones.own_zone` */
static int own_zone(Walk *w, PyObject *node, long tag, long *zone)
{
    *zone = tag & TAG_ZONE;
    Py_ssize_t count = count_attributes(w, node);
    if (count <= 0)
        return count < 0 ? -1 : 0;
    PyObject *classes = asked_for(w, node, w->names[S_CLASS]), *id = Py_NewRef(Py_None);
    /* Most have nothing but a class. */
    int failed = classes == NULL, has_more = failed || (count == 1 && classes != Py_None)
                                                 ? 0 : is_matched(w, node, w->more);
    if (has_more > 0)
        Py_XSETREF(id, asked_for(w, node, w->names[S_ID]));
    failed = failed || has_more < 0 || id == NULL || named_by(w, classes, id, tag, zone) ||
             (has_more && tested_by(w, node, zone)) ||
             (has_more && !(tag & TAG_PLAIN) && styled_by(w, node, zone));
    Py_XDECREF(classes);
    Py_XDECREF(id);
    return failed ? -1 : 0;
}

static int take_number(Walk *w, Py_ssize_t place)
{
    PyObject *number = PyLong_FromSsize_t(place);
    int failed = number == NULL ||
                 PyDict_SetItem(w->numbers, PyList_GET_ITEM(w->elements, place), number);
    Py_XDECREF(number);
    return failed ? -1 : 0;
}

/* Of an element that is not close by; of what is none, as the root of a shadow, nothing is known. */
static Py_ssize_t look_up_number(Walk *w, PyObject *node)
{
    if (w->numbers == NULL) {
        w->numbers = PyDict_New();
        for (Py_ssize_t n = 0; w->numbers != NULL && n < w->count; n++)
            if (take_number(w, n))
                return -1;
        if (w->numbers == NULL)
            return -1;
    }
    PyObject *number = PyDict_GetItemWithError(w->numbers, node);
    if (number == NULL)
        return PyErr_Occurred() ? -1 : 0;
    return w->at = PyLong_AsSsize_t(number);
}

/* Nodes come in their order: what one stands in is the last element, or one that this stands in. */
static Py_ssize_t number_of_parent(Walk *w, int which, PyObject *node)
{
    PyObject *parent = described(w, which, node);
    if (parent == NULL)
        return -1;
    Py_ssize_t n = w->at;
    for (int left = DEEPEST_LEFT; n > 0 && left > 0; left--) {
        if (PyList_GET_ITEM(w->elements, n) == parent)
            break;
        n = w->above[n];
    }
    if (PyList_GET_ITEM(w->elements, n) == parent)
        w->at = n;
    else
        n = look_up_number(w, parent);
    Py_DECREF(parent);
    return n;
}

static int append_new(PyObject *list, PyObject *item)
{
    int failed = item == NULL || PyList_Append(list, item);
    Py_XDECREF(item);
    return failed ? -1 : 0;
}

/* What its tag says, and the zone that it says itself. */
static int take_seen(Walk *w, PyObject *node, Py_ssize_t place, long *zone)
{
    PyObject *tag = described(w, D_TAG, node);
    PyObject *told = tag == NULL ? NULL : PyDict_GetItemWithError(w->tags, tag);
    long said = told == NULL ? 0 : PyLong_AsLong(told);
    int failed = tag == NULL || PyErr_Occurred() || own_zone(w, node, said, zone);
    if (!failed && said & TAG_NOTED)
        failed = append_new(w->noted, Py_BuildValue("(nnO)", place, w->count, tag));
    Py_XDECREF(tag);
    return failed ? -1 : 0;
}

static int take_element(Walk *w, PyObject *node, Py_ssize_t place)
{
    Py_ssize_t parent = number_of_parent(w, D_PARENT, node);
    if (parent < 0 || PyList_Append(w->elements, node))
        return -1;
    if (w->numbers != NULL && take_number(w, w->count))
        return -1;
    long zone = HANDED_DOWN_UNSEEN;
    if (!(w->own[parent] & HANDED_DOWN_UNSEEN) && take_seen(w, node, place, &zone))
        return -1;
    w->at = w->count;
    w->above[w->count] = (int32_t)parent;
    w->own[w->count++] = (int32_t)zone;
    return 0;
}

/* `html.one_line` of what has no space before it. */
static PyObject *one_line(int kind, const void *letters, Py_ssize_t start, Py_ssize_t end)
{
    Py_UCS4 line[LONGEST_LINE];
    Py_ssize_t size = 0;
    int is_behind_gap = 0;
    if (end - start > LOOKED_AT_FOR_A_LINE)
        end = start + LOOKED_AT_FOR_A_LINE;
    for (Py_ssize_t k = start; k < end && size < LONGEST_LINE; k++) {
        Py_UCS4 c = PyUnicode_READ(kind, letters, k);
        if (Py_UNICODE_ISSPACE(c)) {
            is_behind_gap = 1;
            continue;
        }
        if (is_behind_gap)
            line[size++] = ' ';
        is_behind_gap = 0;
        if (size < LONGEST_LINE)
            line[size++] = c;
    }
    if (line[size - 1] == ' ') /* there is one letter at least: the first */
        size--;
    return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, line, size);
}

/* `outline._line`; a new reference, or None where there is nothing but space. */
static PyObject *line_of(PyObject *data)
{
    int kind = (int)PyUnicode_KIND(data), is_odd = 0;
    const void *letters = PyUnicode_DATA(data);
    Py_ssize_t start = 0, end = PyUnicode_GET_LENGTH(data);
    while (start < end && Py_UNICODE_ISSPACE(PyUnicode_READ(kind, letters, start)))
        start++;
    while (end > start && Py_UNICODE_ISSPACE(PyUnicode_READ(kind, letters, end - 1)))
        end--;
    if (start == end)
        Py_RETURN_NONE;
    is_odd = end - start > LONGEST_LINE;
    for (Py_ssize_t k = start; !is_odd && k < end; k++) {
        Py_UCS4 c = PyUnicode_READ(kind, letters, k);
        is_odd = c == '\n' || c == '\t' ||
                 (c == ' ' && PyUnicode_READ(kind, letters, k + 1) == ' ');
    }
    return is_odd ? one_line(kind, letters, start, end) : PyUnicode_Substring(data, start, end);
}

static int take_text(Walk *w, PyObject *node, Py_ssize_t place)
{
    /* Behind an element that is not seen it may be a script, which is long. */
    Py_ssize_t parent = -1;
    if (w->own[w->count - 1] & HANDED_DOWN_UNSEEN) {
        if ((parent = number_of_parent(w, D_PARENT_OF_TEXT, node)) < 0)
            return -1;
        if (w->own[parent] & HANDED_DOWN_UNSEEN)
            return 0;
    }
    PyObject *data = described(w, D_DATA, node);
    PyObject *line = data == NULL || !PyUnicode_Check(data) ? NULL : line_of(data);
    int failed = line == NULL;
    if (!failed && line != Py_None) {
        if (parent < 0)
            parent = number_of_parent(w, D_PARENT_OF_TEXT, node);
        failed = parent < 0;
        if (!failed && !(w->own[parent] & HANDED_DOWN_UNSEEN)) {
            failed = PyList_Append(w->lines, line);
            w->places[w->texts] = (int32_t)place;
            w->parents[w->texts++] = (int32_t)parent;
        }
    }
    Py_XDECREF(line);
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
        if (Py_IS_TYPE(node, (PyTypeObject *)w->text)) /* half of all: asked first */
            failed = take_text(w, node, place);
        else if (PyObject_TypeCheck(node, (PyTypeObject *)w->element))
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

static PyObject *numbers_in(const int32_t *numbers, Py_ssize_t count)
{
    return PyBytes_FromStringAndSize((const char *)numbers, count * (Py_ssize_t)sizeof *numbers);
}

static PyObject *walked(Walk *w, PyObject *nodes, PyObject *page, Py_ssize_t most)
{
    w->own[0] = w->above[0] = 0;
    w->count = 1;
    w->elements = Py_BuildValue("[O]", page);
    w->noted = PyList_New(0);
    w->lines = PyList_New(0);
    if (w->elements == NULL || w->noted == NULL || w->lines == NULL || walk_all(w, nodes, most))
        return NULL;
    return Py_BuildValue(
        "(ONNOONN)", w->elements, numbers_in(w->above, w->count), numbers_in(w->own, w->count),
        w->noted, w->lines, numbers_in(w->places, w->texts), numbers_in(w->parents, w->texts));
}

/* What is asked of nodes, looked up once. */
static int prepare_walk(Walk *w)
{
    for (int n = 0; n < S_COUNT; n++)
        if ((w->names[n] = PyUnicode_InternFromString(ASKED[n])) == NULL)
            return -1;
    for (int n = 0; n < D_COUNT; n++) {
        PyObject *type = n < D_PARENT_OF_TEXT ? w->element : w->text;
        w->described[n] = PyObject_GetAttrString(type, DESCRIBED[n]);
        if (w->described[n] == NULL)
            return -1;
        if (Py_TYPE(w->described[n])->tp_descr_get == NULL) {
            PyErr_Format(PyExc_TypeError, "walk: %s of a node is not asked for", DESCRIBED[n]);
            return -1;
        }
    }
    return 0;
}

static void end_walk(Walk *w)
{
    for (int n = 0; n < S_COUNT; n++)
        Py_XDECREF(w->names[n]);
    for (int n = 0; n < D_COUNT; n++)
        Py_XDECREF(w->described[n]);
    for (int n = 0; n < CLASSES_HEARD; n++)
        Py_XDECREF(w->heard[n].classes);
    Py_XDECREF(w->elements);
    Py_XDECREF(w->numbers);
    Py_XDECREF(w->noted);
    Py_XDECREF(w->lines);
}

static PyObject *walk(PyObject *module, PyObject *args)
{
    (void)module;
    Walk w = {0};
    PyObject *nodes, *page, *needles, *flags, *result = NULL;
    Names *said = &w.said;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(
            args, "OOn(O!O!)O!(OSiiiiiiiii)(OO)(UUO!)", &nodes, &page, &most, &PyType_Type,
            &w.element, &PyType_Type, &w.text, &PyDict_Type, &w.tags, &needles, &flags,
            &said->first_doubtful, &said->first_of_part, &said->together[0], &said->together[1],
            &said->together[2], &said->price, &said->option, &said->hidden, &said->struck,
            &w.named, &w.styled, &w.more, &w.tested, &PyTuple_Type, &w.test_names))
        return NULL;
    said->needles = PyCapsule_GetPointer(needles, NEEDLES);
    if (said->needles == NULL)
        return NULL;
    said->flags = (const int32_t *)PyBytes_AS_STRING(flags);
    if (most < 0 || most > INT32_MAX / 2 ||
        PyBytes_GET_SIZE(flags) != said->needles->count * (Py_ssize_t)sizeof *said->flags) {
        PyErr_SetString(PyExc_ValueError, "walk: a flag for each needle, and not too many nodes");
        return NULL;
    }
    /* As many elements as texts, at most: each has two numbers, and so has the page. */
    int32_t *room = PyMem_Malloc((size_t)(most + 1) * 4 * sizeof *room);
    if (room == NULL)
        return PyErr_NoMemory();
    w.own = room;
    w.above = room + (most + 1);
    w.places = room + (most + 1) * 2;
    w.parents = room + (most + 1) * 3;
    if (prepare_walk(&w) == 0)
        result = walked(&w, nodes, page, most);
    PyMem_Free(room);
    end_walk(&w);
    return result;
}

/* `outline._inherited`: what each element says, and what those around it hand down. */
static PyObject *inherit(PyObject *module, PyObject *args)
{
    (void)module;
    Py_buffer own, above;
    PyObject *holders, *result = NULL;
    int handed_down, lost;
    if (!PyArg_ParseTuple(
            args, "y*y*O!ii", &own, &above, &PyList_Type, &holders, &handed_down, &lost))
        return NULL;
    Py_ssize_t size = own.len / (Py_ssize_t)sizeof(int32_t);
    int is_fitting = above.len == own.len;
    if (is_fitting)
        result = PyBytes_FromStringAndSize(NULL, own.len);
    if (result != NULL) {
        int32_t *zones = (int32_t *)PyBytes_AS_STRING(result);
        const int32_t *parents = above.buf;
        memcpy(zones, own.buf, (size_t)own.len);
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(holders) && is_fitting; k++) {
            Py_ssize_t number = PyLong_AsSsize_t(PyList_GET_ITEM(holders, k));
            is_fitting = number >= 0 && number < size;
            if (is_fitting)
                zones[number] &= ~lost;
        }
        for (Py_ssize_t n = 1; n < size && is_fitting; n++) {
            is_fitting = parents[n] >= 0 && parents[n] < n;
            if (is_fitting)
                zones[n] |= zones[parents[n]] & handed_down;
        }
    }
    PyBuffer_Release(&own);
    PyBuffer_Release(&above);
    if (!is_fitting && !PyErr_Occurred())
        PyErr_SetString(PyExc_ValueError, "parents come before their children");
    if (!is_fitting)
        Py_CLEAR(result);
    return result;
}

static int has_figure(PyObject *line)
{
    int kind = (int)PyUnicode_KIND(line);
    const void *letters = PyUnicode_DATA(line);
    for (Py_ssize_t k = 0; k < PyUnicode_GET_LENGTH(line); k++) {
        Py_UCS4 c = PyUnicode_READ(kind, letters, k);
        if (c < 128 ? c >= '0' && c <= '9' : Py_UNICODE_ISDECIMAL(c))
            return 1;
    }
    return 0;
}

/* A piece of a page: a tuple of this kind, with place, text, element and zone. */
static PyObject *piece_of(PyTypeObject *kind, PyObject *line, long at, PyObject *element, long zone)
{
    PyObject *piece = kind->tp_alloc(kind, 4);
    PyObject *place = PyLong_FromLong(at), *said = PyLong_FromLong(zone);
    if (piece == NULL || place == NULL || said == NULL) {
        Py_XDECREF(piece);
        Py_XDECREF(place);
        Py_XDECREF(said);
        return NULL;
    }
    PyTuple_SET_ITEM(piece, 0, place);
    PyTuple_SET_ITEM(piece, 1, Py_NewRef(line));
    PyTuple_SET_ITEM(piece, 2, Py_NewRef(element));
    PyTuple_SET_ITEM(piece, 3, said);
    return piece;
}

/* `outline._pieces`: those that stand before a place, in none of these zones. */
static PyObject *pieces(PyObject *module, PyObject *args)
{
    (void)module;
    PyTypeObject *kind;
    PyObject *lines, *elements, *result = NULL;
    Py_buffer places, parents, zones;
    int figures, away;
    long long end;
    if (!PyArg_ParseTuple(args, "O!O!y*y*O!y*iLi", &PyType_Type, &kind, &PyList_Type, &lines, &places,
                          &parents, &PyList_Type, &elements, &zones, &figures, &end, &away))
        return NULL;
    Py_ssize_t size = PyList_GET_SIZE(lines), count = PyList_GET_SIZE(elements);
    Py_ssize_t width = (Py_ssize_t)sizeof(int32_t);
    if (PyType_IsSubtype(kind, &PyTuple_Type) && places.len == size * width &&
        parents.len == size * width && zones.len == count * width)
        result = PyList_New(0);
    else
        PyErr_SetString(PyExc_ValueError, "pieces: a place and an element for each line");
    const int32_t *at = places.buf, *of = parents.buf, *zone = zones.buf;
    for (Py_ssize_t k = 0; result != NULL && k < size; k++) {
        PyObject *line = PyList_GET_ITEM(lines, k);
        if (of[k] < 0 || of[k] >= count || !PyUnicode_Check(line)) {
            PyErr_SetString(PyExc_ValueError, "pieces: there is no such element");
            Py_CLEAR(result);
        } else if (at[k] < end && !(zone[of[k]] & away)) {
            long said = zone[of[k]] | (has_figure(line) ? figures : 0);
            if (append_new(result, piece_of(kind, line, at[k], PyList_GET_ITEM(elements, of[k]), said)))
                Py_CLEAR(result);
        }
    }
    PyBuffer_Release(&places);
    PyBuffer_Release(&parents);
    PyBuffer_Release(&zones);
    return result;
}
