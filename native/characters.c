/* What are the characters of a text in UTF-8, and which of them are white space to Python? */

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
