/* What is asked of every link of every page, and of the beginning of every text: see links.py,
 * pager/turning.py and dates/shown.py. */

static int is_href_space(Py_UCS4 c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

/* The href without white space around it; a new reference. */
static PyObject *stripped(PyObject *href)
{
    int kind = PyUnicode_KIND(href);
    const void *data = PyUnicode_DATA(href);
    Py_ssize_t start = 0, end = PyUnicode_GET_LENGTH(href);
    while (start < end && is_href_space(PyUnicode_READ(kind, data, start)))
        start++;
    while (end > start && is_href_space(PyUnicode_READ(kind, data, end - 1)))
        end--;
    return PyUnicode_Substring(href, start, end);
}

/* Whether it has a colon, and does not begin as nearly all of those do that can be followed. */
static int asks_for_its_scheme(PyObject *href)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(href);
    if (PyUnicode_FindChar(href, ':', 0, size, 1) < 0)
        return 0;
    if (!PyUnicode_IS_ASCII(href))
        return 1;
    const char *at = (const char *)PyUnicode_1BYTE_DATA(href);
    return !((size >= 7 && memcmp(at, "http://", 7) == 0) ||
             (size >= 8 && memcmp(at, "https://", 8) == 0));
}

static int add_link(PyObject *found, PyObject *href, PyObject *is_dropped)
{
    PyObject *link = stripped(href);
    int failed = link == NULL, is_kept = !failed && PyUnicode_GET_LENGTH(link) > 0;
    if (is_kept && asks_for_its_scheme(link)) {
        PyObject *answer = PyObject_CallOneArg(is_dropped, link);
        int truth = answer == NULL ? -1 : PyObject_IsTrue(answer);
        Py_XDECREF(answer);
        failed = truth < 0;
        is_kept = truth == 0;
    }
    if (is_kept)
        failed = PyDict_SetDefault(found, link, Py_None) == NULL;
    Py_XDECREF(link);
    return failed ? -1 : 0;
}

static PyObject *as_links(PyObject *found, Py_ssize_t most)
{
    Py_ssize_t count = PyDict_GET_SIZE(found), place = 0;
    PyObject *links = PyTuple_New(count < most ? count : most), *link;
    for (Py_ssize_t n = 0; links != NULL && n < PyTuple_GET_SIZE(links); n++) {
        PyDict_Next(found, &place, &link, NULL);
        PyTuple_SET_ITEM(links, n, Py_NewRef(link));
    }
    return links;
}

static PyObject *distinct(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *spelled, *is_dropped;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "O!On", &PyList_Type, &spelled, &is_dropped, &most))
        return NULL;
    /* Menus repeat themselves: what was seen as it is spelled is not looked at again. */
    PyObject *seen = PyDict_New(), *found = PyDict_New();
    int failed = seen == NULL || found == NULL;
    for (Py_ssize_t n = 0; !failed && n < PyList_GET_SIZE(spelled); n++) {
        PyObject *href = PyList_GET_ITEM(spelled, n);
        if (!PyUnicode_Check(href)) {
            PyErr_SetString(PyExc_TypeError, "an href is a str");
            failed = 1;
            break;
        }
        Py_ssize_t before = PyDict_GET_SIZE(seen);
        failed = PyDict_SetDefault(seen, href, Py_None) == NULL ||
                 (PyDict_GET_SIZE(seen) > before && add_link(found, href, is_dropped));
    }
    PyObject *links = failed ? NULL : as_links(found, most < 0 ? 0 : most);
    Py_XDECREF(seen);
    Py_XDECREF(found);
    return links;
}

typedef struct {
    PyObject *starts, *named;
    Py_ssize_t longest, whole;
} Counting;

static int holds_count(PyObject *href)
{
    int kind = PyUnicode_KIND(href);
    const void *data = PyUnicode_DATA(href);
    for (Py_ssize_t n = PyUnicode_GET_LENGTH(href) - 1; n >= 0; n--) {
        Py_UCS4 c = PyUnicode_READ(kind, data, n);
        if ((c >= '0' && c <= '9') || c == '=')
            return 1;
    }
    return 0;
}

/* Whether one of them begins an href in ASCII. */
static int begins_with_one(PyObject *starts, PyObject *href)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(href);
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(starts); n++) {
        PyObject *start = PyTuple_GET_ITEM(starts, n);
        Py_ssize_t length = PyUnicode_GET_LENGTH(start);
        if (PyUnicode_IS_ASCII(start) && length <= size &&
            memcmp(PyUnicode_1BYTE_DATA(start), PyUnicode_1BYTE_DATA(href), (size_t)length) == 0)
            return 1;
    }
    return 0;
}

/* 1 where it may lead to another page of the same list; -1 after an error. */
static int may_count(const Counting *c, PyObject *href)
{
    Py_ssize_t size = PyUnicode_GET_LENGTH(href);
    if (size == 0)
        return 0;
    Py_UCS4 first = PyUnicode_READ_CHAR(href, 0);
    if (size > (first == 'h' ? c->whole : c->longest) &&
        PyUnicode_FindChar(href, '?', 0, size, 1) < 0)
        return 0;
    if (!PyUnicode_IS_ASCII(href) || (first != '/' && first != 'h'))
        return holds_count(href);
    if (first == 'h' && (size < 4 || memcmp(PyUnicode_1BYTE_DATA(href), "http", 4) != 0))
        return holds_count(href);
    if (!holds_count(href))
        return 0;
    return begins_with_one(c->starts, href) ? 1 : PyUnicode_Contains(href, c->named);
}

static PyObject *counting(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *links;
    Counting asked;
    if (!PyArg_ParseTuple(args, "O!O!Unn", &PyTuple_Type, &links, &PyTuple_Type, &asked.starts,
                          &asked.named, &asked.longest, &asked.whole))
        return NULL;
    PyObject *found = PyList_New(0);
    for (Py_ssize_t n = 0; found != NULL && n < PyTuple_GET_SIZE(links); n++) {
        PyObject *href = PyTuple_GET_ITEM(links, n);
        int counts = PyUnicode_Check(href) ? may_count(&asked, href) : 0;
        if (counts < 0 || (counts && PyList_Append(found, href)))
            Py_CLEAR(found);
    }
    return found;
}

static int is_digit(unsigned char c)
{
    return c >= '0' && c <= '9';
}

static PyObject *names_year(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *text;
    Py_ssize_t most;
    if (!PyArg_ParseTuple(args, "Sn", &text, &most))
        return NULL;
    const unsigned char *p = (const unsigned char *)PyBytes_AS_STRING(text);
    Py_ssize_t size = PyBytes_GET_SIZE(text) < most ? PyBytes_GET_SIZE(text) : most;
    /* From its third figure: only every second place can be one of its last two. */
    for (Py_ssize_t n = 2; n < size; n += 2) {
        if (!is_digit(p[n]))
            continue;
        for (Py_ssize_t start = n < 3 ? n - 2 : n - 3; start <= n - 2; start++)
            if (start + 3 < size && is_digit(p[start + 2]) && is_digit(p[start + 3]) &&
                ((p[start] == '1' && p[start + 1] == '9') ||
                 (p[start] == '2' && p[start + 1] == '0')))
                Py_RETURN_TRUE;
    }
    Py_RETURN_FALSE;
}
