/* Which part of a page's text is its own? `text.main_region`, for a page that has no tree.
 *
 * It goes by the same rules, as far as these ask what an element is and what it lies in. Where
 * parts that were taken away would have to be put back, only the tree can tell. */

typedef struct {
    const unsigned char *at, *end;
} Range;

/* How many bytes the character here has, and whether Python's `split` takes it for white space.
 * The text is whole: see `is_whole`. */
static int character(const unsigned char *at, int *is_white)
{
    unsigned char c = *at;
    if (c < 0x80) {
        *is_white = c == ' ' || (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x1F);
        return 1;
    }
    if (c < 0xE0) {
        *is_white = c == 0xC2 && (at[1] == 0x85 || at[1] == 0xA0);
        return 2;
    }
    if (c < 0xF0) {
        uint32_t code = (uint32_t)(c & 15) << 12 | (uint32_t)(at[1] & 63) << 6 | (at[2] & 63);
        *is_white = code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
                    code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
        return 3;
    }
    *is_white = 0;
    return 4;
}

/* Whether this is UTF-8 from the first byte to the last. */
static int is_whole(const unsigned char *at, const unsigned char *end)
{
    while (at < end) {
        unsigned char c = *at;
        if (c < 0x80) {
            uint64_t eight;
            while (end - at >= 8) {
                memcpy(&eight, at, 8);
                if (eight & 0x8080808080808080u)
                    break;
                at += 8;
            }
            while (at < end && *at < 0x80)
                at++;
            continue;
        }
        if (c < 0xC2 || c > 0xF4)
            return 0;
        int more = c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
        if (end - at <= more)
            return 0;
        for (int n = 1; n <= more; n++)
            if ((at[n] & 0xC0) != 0x80)
                return 0;
        /* Longer than need be, half of a pair, or beyond the last. */
        if ((c == 0xE0 && at[1] < 0xA0) || (c == 0xED && at[1] >= 0xA0) ||
            (c == 0xF0 && at[1] < 0x90) || (c == 0xF4 && at[1] >= 0x90))
            return 0;
        at += more + 1;
    }
    return 1;
}

static Py_ssize_t count_characters(const unsigned char *at, const unsigned char *end)
{
    Py_ssize_t count = 0;
    for (; at < end; at++)
        count += (*at & 0xC0) != 0x80;
    return count;
}

static Py_ssize_t count_words(const unsigned char *at, const unsigned char *end)
{
    Py_ssize_t count = 0;
    int was_white = 1, is_white;
    while (at < end) {
        at += character(at, &is_white);
        count += was_white && !is_white;
        was_white = is_white;
    }
    return count;
}

static int is_all_white(const unsigned char *at, const unsigned char *end)
{
    int is_white;
    while (at < end) {
        at += character(at, &is_white);
        if (!is_white)
            return 0;
    }
    return 1;
}

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
static int cut_named(Scan *s, Range *ranges, Py_ssize_t *length)
{
    int wrappers[LAYOUT_CHILDREN] = {0}, wrapper_count = 1, found = 0;
    int named[MOST_RECORDS];
    for (int level = 1; level <= 2; level++) {
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

/* What is left of the page without its frame, or its only article if that is most of it. */
static int without_frame(Scan *s, Range *ranges, int *count)
{
    Py_ssize_t framed = 0;
    int has_named = cut_named(s, ranges, &framed);
    int article = -1, articles = 0;
    for (int n = 0; n < s->count; n++)
        if (s->records[n].id == ARTICLE) {
            article = n;
            articles++;
        }
    *count = ranges_of(s, 0, ranges);
    Py_ssize_t rest = has_named || articles == 1 ? length_of(ranges, *count) : 0;
    if (has_named && framed > rest)
        return UNSURE; /* the names mean nothing here */
    if (articles == 1 && !is_cut_off(s, article)) {
        int own = ranges_of(s, article, ranges);
        if (length_of(ranges, own) * 2 >= rest && !are_white(ranges, own)) {
            *count = own;
            return FINE;
        }
        *count = ranges_of(s, 0, ranges);
    }
    return are_white(ranges, *count) ? UNSURE : FINE;
}

/* Of more headers or footers than this, seen or not, only the first are looked at. */
static int count_landmarks(Scan *s)
{
    int count = 0;
    for (int n = 1; n < s->count; n++)
        count += s->records[n].id == HEADER || s->records[n].id == FOOTER;
    return count > MOST_LANDMARKS ? UNSURE : FINE;
}

static int main_ranges(Scan *s, Range *ranges, int *count)
{
    for (int n = 0; n < s->count; n++)
        s->records[n].is_cut = s->records[n].hidden && !s->records[n].unseen && n > 0;
    int main = find_main(s);
    for (int n = 1; n < s->count; n++) {
        Record *r = &s->records[n];
        if (!r->unseen && n != main && r->id != MAIN)
            r->is_cut |= r->id == NAV || r->id == ASIDE || r->role == LANDMARK_ROLE;
    }
    if (main >= 0 && !is_cut_off(s, main)) {
        CHECK(count_landmarks(s));
        for (int n = main + 1; n < s->records[main].last; n++)
            s->records[n].is_cut |= s->records[n].id == FOOTER && !s->records[n].unseen;
        *count = ranges_of(s, main, ranges);
        return are_white(ranges, *count) ? UNSURE : FINE;
    }
    CHECK(count_landmarks(s));
    for (int n = 1; n < s->count; n++) {
        Record *r = &s->records[n];
        if ((r->id == HEADER || r->id == FOOTER) && !r->unseen)
            r->is_cut |= n != main && !r->in_section;
    }
    return without_frame(s, ranges, count);
}

/* Text nodes are counted by themselves: in the source, words of neighbouring blocks touch. */
static Py_ssize_t count_exactly(Scan *s, const Range *ranges, int count)
{
    Py_ssize_t words = 0, node = 0;
    for (int n = 0; n < count; n++) {
        const unsigned char *at = ranges[n].at;
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
    Py_ssize_t node = 0;
    for (int n = 0; n < count; n++) {
        const unsigned char *at = ranges[n].at;
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
    Range *ranges = PyMem_Malloc(((size_t)s->count + 1) * sizeof *ranges);
    if (ranges == NULL) {
        PyErr_NoMemory();
        return FAILED;
    }
    int count, answer = main_ranges(s, ranges, &count);
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
    return answer;
}
