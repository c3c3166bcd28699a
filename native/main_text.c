/* Which part of a page's text is its own? `text.main_region`, for a page that has no tree.
 *
 * It goes by the same rules, as far as these ask what an element is and what it lies in. What is in
 * <noscript> was never written down: where that would have to be shown, only the tree can tell. */

typedef struct {
    const unsigned char *at, *end;
} Range;

/* The text of an element without what is cut out of it, in at most `count` + 1 ranges. */
static int ranges_of(Scan *s, int nth, Range *ranges)
{
    const Record *element = &s->records[nth];
    Py_ssize_t at = element->start;
    int count = 0;
    for (int n = nth + 1; n < element->last;) {
        const Record *inner = &s->records[n];
        if (!inner->is_cut) {
            n++;
            continue;
        }
        if (inner->start > at) {
            ranges[count].at = s->text + at;
            ranges[count++].end = s->text + inner->start;
        }
        at = inner->end > at ? inner->end : at;
        n = inner->last;
    }
    if (element->end > at) {
        ranges[count].at = s->text + at;
        ranges[count++].end = s->text + element->end;
    }
    return count;
}

static Py_ssize_t length_of(const Range *ranges, int count)
{
    Py_ssize_t length = 0;
    for (int n = 0; n < count; n++)
        length += count_characters(ranges[n].at, ranges[n].end);
    return length;
}

static int are_white(const Range *ranges, int count)
{
    for (int n = 0; n < count; n++)
        if (!is_all_white(ranges[n].at, ranges[n].end))
            return 0;
    return 1;
}

static int is_cut_off(Scan *s, int nth)
{
    if (s->records[nth].unseen)
        return 1;
    for (int n = 0; n <= nth; n++)
        if (s->records[n].is_cut && nth < s->records[n].last)
            return 1;
    return 0;
}

/* The only main element; where there is none, the only one with that role. */
static int find_main(Scan *s)
{
    int main = -1, count = 0;
    for (int n = 0; n < s->count; n++)
        if (s->records[n].id == MAIN) {
            main = n;
            count++;
        }
    if (count)
        return count == 1 ? main : -1;
    for (int n = 0; n < s->count; n++)
        if (s->records[n].role == MAIN_ROLE && !s->records[n].unseen && !s->records[n].is_cut) {
            main = n;
            count++;
        }
    return count == 1 ? main : -1;
}

/* Cut the blocks near the top of the layout that are named header, menu, sidebar, footer; how long
 * their texts are is added up in `length`. */
static int cut_named(Scan *s, int *named, Range *ranges, Py_ssize_t *length)
{
    int wrappers[LAYOUT_CHILDREN] = {0}, wrapper_count = 1, found = 0;
    for (int level = 1; level <= LAYOUT_DEPTH; level++) {
        int inner[LAYOUT_CHILDREN], inner_count = 0;
        for (int w = 0; w < wrapper_count; w++) {
            Record *wrapper = &s->records[wrappers[w]];
            int nodes = wrapper->nodes;
            for (int n = wrappers[w] + 1; n < wrapper->last; n++)
                nodes -= s->records[n].level == level && s->records[n].is_cut;
            if (nodes > LAYOUT_CHILDREN)
                continue;
            for (int n = wrappers[w] + 1; n < wrapper->last; n++) {
                Record *r = &s->records[n];
                if (r->level != level || r->is_cut || !r->is_layout)
                    continue;
                if (r->is_framed)
                    named[found++] = n;
                else if (inner_count < LAYOUT_CHILDREN)
                    inner[inner_count++] = n;
            }
        }
        memcpy(wrappers, inner, (size_t)inner_count * sizeof *inner);
        wrapper_count = inner_count;
    }
    for (int n = 0; n < found; n++)
        *length += length_of(ranges, ranges_of(s, named[n], ranges));
    for (int n = 0; n < found; n++)
        s->records[named[n]].is_cut = 1;
    return found;
}

/* What is cut out of a page, in the order in which that is done: the same may come twice. */
typedef struct {
    int *records;
    int count, most;
} Dropped;

static int drop(Scan *s, Dropped *dropped, int nth)
{
    if (s->records[nth].unseen)
        return UNSURE; /* nobody wrote down what it says */
    if (dropped->count < dropped->most)
        dropped->records[dropped->count++] = nth;
    return FINE;
}

/* Parts that were taken away, at the end of the text: better late than lost. Of those that were
 * taken twice the last time counts. */
static void put_back(Scan *s, const Dropped *dropped, Range *ranges, int *count)
{
    for (int n = 0; n < dropped->count; n++) {
        int nth = dropped->records[n], again = n + 1;
        while (again < dropped->count && dropped->records[again] != nth)
            again++;
        if (again == dropped->count)
            *count += ranges_of(s, nth, ranges + *count);
    }
}

static int drop_all(Scan *s, Dropped *dropped, int main, int id)
{
    for (int n = 1; n < s->count; n++)
        if (n != main && s->records[n].id == id)
            CHECK(drop(s, dropped, n));
    return FINE;
}

/* Headers or footers of the page, not of a section of it. */
static int drop_outer(Scan *s, Dropped *dropped, int main, int id)
{
    for (int n = 1; n < s->count; n++) {
        const Record *r = &s->records[n];
        if (n == main || r->id != id)
            continue;
        if (r->in_section) {
            for (int m = 1; m < n; m++)
                if (s->records[m].is_cut && n < s->records[m].last)
                    return UNSURE; /* the section may be out of its sight by now */
            if (!r->is_cut)
                continue;
        }
        CHECK(drop(s, dropped, n));
    }
    return FINE;
}

/* All that `main_region` has dropped, as it does, where `main` turned out to be empty or was not
 * there. */
static int drop_again(Scan *s, Dropped *dropped, int main, int has_main)
{
    CHECK(drop_all(s, dropped, main, NAV));
    CHECK(drop_all(s, dropped, main, ASIDE));
    for (int n = 1; n < s->count; n++) {
        const Record *r = &s->records[n];
        if (r->role == LANDMARK_ROLE && !r->unseen && !r->hidden && n != main && r->id != MAIN)
            CHECK(drop(s, dropped, n));
    }
    for (int n = main + 1; has_main && n < s->records[main].last; n++)
        if (s->records[n].id == FOOTER)
            CHECK(drop(s, dropped, n));
    CHECK(drop_outer(s, dropped, main, HEADER));
    return drop_outer(s, dropped, main, FOOTER);
}

/* What is left of the page without its frame, or its only article if that is most of it. */
static int without_frame(Scan *s, int main, int has_main, int *room, Range *ranges, int *count)
{
    Dropped named = {room, 0, MOST_LANDMARKS}, dropped = {room, 0, MOST_LANDMARKS};
    Py_ssize_t framed = 0;
    named.count = cut_named(s, room, ranges, &framed);
    int has_named = named.count > 0;
    int article = -1, articles = 0;
    for (int n = 0; n < s->count; n++)
        if (s->records[n].id == ARTICLE) {
            article = n;
            articles++;
        }
    *count = ranges_of(s, 0, ranges);
    Py_ssize_t rest = has_named || articles == 1 ? length_of(ranges, *count) : 0;
    if (has_named && framed > rest) {
        /* The names mean nothing here. */
        if (named.count > named.most)
            return UNSURE;
        put_back(s, &named, ranges, count);
    } else if (articles == 1 && !is_cut_off(s, article)) {
        int own = ranges_of(s, article, ranges);
        /* Nothing is no white space, either. */
        if (length_of(ranges, own) * 2 >= rest && (!own || !are_white(ranges, own))) {
            *count = own;
            return FINE;
        }
        *count = ranges_of(s, 0, ranges);
    }
    if (!are_white(ranges, *count))
        return FINE;
    CHECK(drop_again(s, &dropped, main, has_main));
    put_back(s, &dropped, ranges, count);
    return FINE;
}

/* Of more headers or footers than this, seen or not, only the first are looked at. */
static int count_landmarks(Scan *s)
{
    int count = 0;
    for (int n = 1; n < s->count; n++)
        count += s->records[n].id == HEADER || s->records[n].id == FOOTER;
    return count > MOST_LANDMARKS ? UNSURE : FINE;
}

static int main_ranges(Scan *s, int *room, Range *ranges, int *count)
{
    for (int n = 0; n < s->count; n++)
        s->records[n].is_cut = s->records[n].hidden && !s->records[n].unseen && n > 0;
    int main = find_main(s);
    for (int n = 1; n < s->count; n++) {
        Record *r = &s->records[n];
        if (!r->unseen && n != main && r->id != MAIN)
            r->is_cut |= r->id == NAV || r->id == ASIDE || r->role == LANDMARK_ROLE;
    }
    CHECK(count_landmarks(s));
    int has_main = main >= 0 && !is_cut_off(s, main);
    if (has_main) {
        for (int n = main + 1; n < s->records[main].last; n++)
            s->records[n].is_cut |= s->records[n].id == FOOTER && !s->records[n].unseen;
        *count = ranges_of(s, main, ranges);
        if (!are_white(ranges, *count))
            return FINE;
    }
    for (int n = 1; n < s->count; n++) {
        Record *r = &s->records[n];
        if ((r->id == HEADER || r->id == FOOTER) && !r->unseen)
            r->is_cut |= n != main && !r->in_section;
    }
    return without_frame(s, main, has_main, room, ranges, count);
}

/* The text node behind the one in which this place is. */
static Py_ssize_t node_behind(Scan *s, const unsigned char *at)
{
    Py_ssize_t low = 0, high = s->node_count;
    while (low < high) {
        Py_ssize_t middle = (low + high) / 2;
        if (s->text + s->nodes[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Text nodes are counted by themselves: in the source, words of neighbouring blocks touch. */
static Py_ssize_t count_exactly(Scan *s, const Range *ranges, int count)
{
    Py_ssize_t words = 0;
    for (int n = 0; n < count; n++) {
        const unsigned char *at = ranges[n].at;
        Py_ssize_t node = node_behind(s, at);
        while (at < ranges[n].end) {
            while (node < s->node_count && s->text + s->nodes[node] <= at)
                node++;
            const unsigned char *end = ranges[n].end;
            if (node < s->node_count && s->text + s->nodes[node] < end)
                end = s->text + s->nodes[node];
            words += count_words(at, end);
            at = end;
        }
    }
    return words;
}

/* The same text with every node on a line of its own. */
static PyObject *by_nodes(Scan *s, const Range *ranges, int count, Py_ssize_t size)
{
    PyObject *lines = PyBytes_FromStringAndSize(NULL, size + s->node_count + count);
    if (lines == NULL)
        return NULL;
    unsigned char *text = (unsigned char *)PyBytes_AS_STRING(lines), *out = text;
    for (int n = 0; n < count; n++) {
        const unsigned char *at = ranges[n].at;
        Py_ssize_t node = node_behind(s, at);
        while (at < ranges[n].end) {
            while (node < s->node_count && s->text + s->nodes[node] <= at)
                node++;
            const unsigned char *end = ranges[n].end;
            if (node < s->node_count && s->text + s->nodes[node] < end)
                end = s->text + s->nodes[node];
            if (out > text)
                *out++ = '\n';
            memcpy(out, at, (size_t)(end - at));
            out += end - at;
            at = end;
        }
    }
    _PyBytes_Resize(&lines, out - text);
    return lines;
}

/* Three parts of a long text speak for the rest. */
static Py_ssize_t estimate(const unsigned char *text, const unsigned char *end, Py_ssize_t length)
{
    const unsigned char *middle = behind(text, end, length / 2);
    const unsigned char *last = behind(middle, end, length - COUNTED - length / 2);
    Py_ssize_t counted = count_words(text, behind(text, end, COUNTED)) +
                         count_words(middle, behind(middle, end, COUNTED)) + count_words(last, end);
    Py_ssize_t words = (Py_ssize_t)((int64_t)counted * length / (3 * COUNTED));
    return words > 1 ? words : 1;
}

/* The main text, as it is and in lines, and about how many words it has. */
static int main_text(Scan *s, PyObject **written, PyObject **lines, Py_ssize_t *words)
{
    if (!is_whole(s->text, s->text + s->size))
        return UNSURE;
    /* Each part is in one list of ranges, and parts one of them more. */
    Range *ranges = PyMem_Malloc(((size_t)s->count + 1) * 4 * sizeof *ranges);
    int *room = PyMem_Malloc(MOST_RECORDS * sizeof *room);
    if (ranges == NULL || room == NULL) {
        PyMem_Free(ranges);
        PyMem_Free(room);
        PyErr_NoMemory();
        return FAILED;
    }
    int count, answer = main_ranges(s, room, ranges, &count);
    if (answer == FINE) {
        Py_ssize_t size = 0;
        for (int n = 0; n < count; n++)
            size += ranges[n].end - ranges[n].at;
        *written = PyBytes_FromStringAndSize(NULL, size);
        if (*written == NULL)
            answer = FAILED;
        else {
            unsigned char *text = (unsigned char *)PyBytes_AS_STRING(*written), *out = text;
            for (int n = 0; n < count; n++) {
                memcpy(out, ranges[n].at, (size_t)(ranges[n].end - ranges[n].at));
                out += ranges[n].end - ranges[n].at;
            }
            Py_ssize_t length = count_characters(text, out);
            *words = length > LONG_TEXT ? estimate(text, out, length)
                                        : count_exactly(s, ranges, count);
            *lines = by_nodes(s, ranges, count, size);
            if (*lines == NULL) {
                Py_CLEAR(*written);
                answer = FAILED;
            }
        }
    }
    PyMem_Free(ranges);
    PyMem_Free(room);
    return answer;
}
