/* Which part of a shop's page does a name speak of? What zones.py says of ASCII names; where two things
 * are said that do not go together, and of all others, Python is asked. */

#define LONGEST_CLASS 300
#define LONGEST_ID 100

/* What names say: `zones.NAMES`. */
typedef struct {
    const Needles *needles;
    const int32_t *flags;              /* of each needle */
    int first_doubtful, first_of_part; /* from here on: to be asked in Python; parts of names */
    int together[3];                   /* zones that only Python can settle */
    int price, option, hidden, struck;
} Names;

static int is_space_of_name(unsigned char c)
{
    return is_white(c) || (c >= 0x1c && c <= 0x1f);
}

/* The beginning of an ASCII text in lower case; answers where it ends. */
static unsigned char *lowered(unsigned char *out, PyObject *text, Py_ssize_t most, int *is_plain)
{
    const unsigned char *p = PyUnicode_1BYTE_DATA(text);
    Py_ssize_t size = PyUnicode_GET_LENGTH(text);
    for (const unsigned char *end = p + (size < most ? size : most); p < end; p++) {
        *out++ = LOWER[*p];
        *is_plain &= *p >= ' ' && *p != 0x7f;
    }
    return out;
}

/* With one space for each gap, and one before and behind. */
static unsigned char *squeezed(unsigned char *text, unsigned char *end)
{
    unsigned char *out = text;
    *out++ = ' ';
    for (unsigned char *p = text + 1; p < end; p++)
        if (!is_space_of_name(*p))
            *out++ = *p;
        else if (out[-1] != ' ')
            *out++ = ' ';
    if (out == text + 1 || out[-1] != ' ')
        *out++ = ' ';
    return out;
}

/* What the parts of a name say that stand alone. */
static int said_by_parts(const Names *said, const unsigned char *p, const unsigned char *end)
{
    const Needles *n = said->needles;
    int zone = 0;
    for (const unsigned char *start = p; p <= end; p++) {
        if (p < end && *p != ' ' && *p != '-' && *p != '_')
            continue;
        int32_t at = p - start >= 2 ? may_begin(n, start) : 0;
        for (const unsigned char *q = start + 2; at && q < p; q++)
            at = find_below(n, at, *q);
        for (int index = at ? n->letters[at].ends : -1; index >= 0; index = n->again[index])
            if (index >= said->first_of_part)
                zone |= said->flags[index];
        start = p + 1;
    }
    return zone;
}

/* `zones.named` of ASCII; -1 where Python has to say it. */
static int said_by_name(const Names *said, PyObject *classes, PyObject *id)
{
    unsigned char text[LONGEST_CLASS + LONGEST_ID + 4], *end = text;
    int is_plain = 1, zone = 0, has_parts = 0;
    if (!PyUnicode_IS_ASCII(classes) || !PyUnicode_IS_ASCII(id))
        return -1;
    *end++ = ' ';
    end = lowered(end, classes, LONGEST_CLASS, &is_plain);
    *end++ = ' ';
    end = lowered(end, id, LONGEST_ID, &is_plain);
    *end++ = ' ';
    if (!is_plain)
        end = squeezed(text, end);
    const Needles *n = said->needles;
    for (const unsigned char *p = text; end - p >= 2; p++) {
        int32_t at = may_begin(n, p);
        for (const unsigned char *q = p + 2; at; q++) {
            for (int index = n->letters[at].ends; index >= 0; index = n->again[index]) {
                if (index < said->first_doubtful)
                    zone |= said->flags[index];
                else if (index < said->first_of_part)
                    return -1;
                else
                    has_parts = 1;
            }
            at = q < end ? find_below(n, at, *q) : 0;
        }
    }
    if (has_parts)
        zone |= said_by_parts(said, text, end);
    for (int k = 0; k < 3; k++)
        if ((zone & said->together[k]) == said->together[k])
            return -1;
    return zone & said->price ? zone & ~said->option : zone;
}
