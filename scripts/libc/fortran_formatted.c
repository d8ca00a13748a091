/* Formatted input of Fortran (Fortran 2018, 13.3 to 13.8), as flang's runtime reads it: the edit descriptors I, F, E, D, G, A, L, X, the slash and the colon,
   repeated and in groups. Other ones end the path. */

#include <stdio.h>
#include "fortran_input.h"

enum { DEEPEST = 16 };

/* A group that is open: where its items begin, and how often it is still to be gone through. */
struct group {
    long start;
    int left;
};

static const char *format;
static long format_length, at;
static struct group groups[DEEPEST];
static int depth;
/* The edit descriptor that is repeated. */
static struct edit {
    char letter;
    int width, digits, left;
} edit;
/* Where an exhausted format is begun again: at the last group that was closed outside of all others, with its count. */
static struct group again;
/* Whether an edit descriptor of data has been met since then. */
static bool has_data, has_begun;

void labrys_begin_formatted(const char *text, size_t length) {
    format = text;
    format_length = (long)length;
    at = depth = 0;
    edit.left = 0;
    has_data = has_begun = false;
    again = (struct group){-1, 0};
}

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
}

/* The next letter of the format; 0 at its end. */
static char look(void) {
    while (at < format_length && (format[at] == ' ' || format[at] == ',')) at++;
    return at < format_length ? upper(format[at]) : 0;
}

/* A number in the format; `none` where there is none. */
static int read_number(int none) {
    int value = 0;
    bool has_digit = false;
    for (; at < format_length && ((format[at] >= '0' && format[at] <= '9') || format[at] == ' '); at++) {
        if (format[at] == ' ') continue;
        if (value > 9999) labrys_unmodelled("a large number in a format, in Fortran");
        value = 10 * value + format[at] - '0';
        has_digit = true;
    }
    return has_digit ? value : none;
}

static void __attribute__((noreturn)) refuse(void) {
    labrys_unmodelled("a format with edit descriptors other than I, F, E, D, G, A, L, X, / and :, in Fortran");
}

/* An edit descriptor of data, behind its repetition count. */
static void read_edit(char letter, int count) {
    at++;
    char second = letter == 'E' || letter == 'D' ? look() : 0;
    if (second == 'N' || second == 'S') at++;
    edit.letter = letter;
    edit.width = read_number(0);
    edit.digits = 0;
    if (at < format_length && format[at] == '.') {
        at++;
        edit.digits = read_number(0);
    }
    if (letter == 'E' && at < format_length && upper(format[at]) == 'E') {
        at++;
        read_number(0);
    }
    if ((letter != 'A' && edit.width == 0) || count < 1) refuse();
    edit.left = count;
    has_data = true;
}

static void open_group(int count) {
    if (depth == DEEPEST) labrys_unmodelled("a format with many groups in each other, in Fortran");
    at++;
    groups[depth++] = (struct group){at, count - 1};
    if (depth <= 2) again = groups[depth - 1];
}

/* The end of a group: back to its beginning, or out of it. False at the end of the format. */
static bool close_group(void) {
    struct group *group = &groups[depth - 1];
    if (group->left > 0) {
        group->left--;
        at = group->start;
        return true;
    }
    at++;
    return --depth > 0;
}

/* Goes through the format as far as an edit descriptor of data, with `ends` no further than to a colon or its end. False where there is none or no record. */
static bool find_edit(bool ends, bool *fails) {
    *fails = false;
    while (edit.left == 0) {
        char c = look();
        int count = c >= '0' && c <= '9' ? read_number(1) : 1;
        c = look();
        bool is_at_end = false;
        switch (c) {
        case '(': open_group(count); break;
        case ')': is_at_end = !close_group(); break;
        case 'I': case 'F': case 'E': case 'D': case 'G': case 'A': case 'L': read_edit(c, count); break;
        case 'X': at++; labrys_column += count; break;
        case '/':
            at++;
            for (; count > 0; count--)
                if (!labrys_next_record()) *fails = true;
            if (*fails) return false;
            break;
        case ':':
            at++;
            if (ends) return false;
            break;
        default: refuse();
        }
        if (!is_at_end) continue;
        if (ends) return false;
        if (!has_data) labrys_unmodelled("a format without edit descriptors for its items, in Fortran");
        /* The last group once more, in the next record. */
        has_data = false;
        at = again.start;
        depth = 1;
        if (at != groups[0].start) groups[depth++] = again;
        if (!labrys_next_record()) {
            *fails = true;
            return false;
        }
    }
    return true;
}

static bool is_comma_read;

/* A character of a field; -1 behind its end or that of the record, or where a comma ends it. */
static int field_character(long column, long end) {
    int c = column < end ? labrys_character(column) : -1;
    if (c == ',') is_comma_read = true;
    return c == ',' ? -1 : c;
}

static int skip_blanks(long end) {
    int c;
    while (is_blank(c = field_character(labrys_column, end))) labrys_column++;
    return c;
}

static bool read_integer(const struct item *item, long end) {
    int c = skip_blanks(end);
    bool is_negative = c == '-', is_large = false, has_digit = false, has_sign = is_negative || c == '+';
    if (has_sign) labrys_column++;
    unsigned __int128 value = 0, most = ~(unsigned __int128)0;
    for (; (c = field_character(labrys_column, end)) != -1; labrys_column++) {
        if (is_blank(c)) continue;
        unsigned digit = (unsigned)c - '0';
        if (digit > 9) return labrys_input_fails(IOSTAT_GENERIC);
        has_digit = true;
        is_large |= value > (most - digit) / 10;
        value = value * 10 + digit;
    }
    if (has_sign && !has_digit) labrys_unmodelled("a sign without a number, in Fortran");
    return is_large ? labrys_input_fails(IOSTAT_INTEGER_OVERFLOW) : labrys_store_integer(item, is_negative, value);
}

/* Whether an exponent begins so. */
static bool is_exponent(int c) {
    int letter = c | 32;
    return letter == 'e' || letter == 'd' || letter == 'q' || c == '+' || c == '-';
}

/* The letters, signs and digits of an exponent behind a number's digits; false where they are none. */
static bool read_exponent(long end, int c, long *exponent) {
    if (!is_exponent(c)) return false;
    if (c != '+' && c != '-') labrys_column++;
    c = field_character(labrys_column, end);
    if (is_blank(c)) refuse_number();
    bool is_negative = c == '-', has_digit = false;
    if (is_negative || c == '+') labrys_column++;
    *exponent = 0;
    for (; (c = field_character(labrys_column, end)) != -1; labrys_column++) {
        if (is_blank(c)) continue;
        if (c < '0' || c > '9') return false;
        if (*exponent < 100000) *exponent = 10 * *exponent + c - '0';
        has_digit = true;
    }
    if (!has_digit) refuse_number();
    if (is_negative) *exponent = -*exponent;
    return true;
}

static bool read_real(const struct item *item, long end) {
    static char text[MOST_DIGITS + 40];
    long length = 0, exponent = 0;
    int c = skip_blanks(end);
    bool has_sign = c == '+' || c == '-', has_point = false;
    if (c == '-') text[length++] = '-';
    if (has_sign) labrys_column++;
    int first = skip_blanks(end) | 32;
    if (first == 'i' || first == 'n' || (has_sign && first == -1)) refuse_number();
    text[length++] = '0';
    for (; (c = field_character(labrys_column, end)) != -1; labrys_column++) {
        if (is_blank(c)) continue;
        if ((c != '.' || has_point) && (c < '0' || c > '9')) break;
        if (length >= MOST_DIGITS) refuse_number();
        text[length++] = (char)c;
        has_point |= c == '.';
    }
    bool has_digit = text[length - 1] != '0' || length > 1 + (text[0] == '-');
    if ((c | 32) == 'x' || (!has_digit && is_exponent(c))) refuse_number();
    if (c != -1 && (!has_digit || !read_exponent(end, c, &exponent))) return labrys_input_fails(IOSTAT_BAD_REAL);
    if (!has_point) exponent -= edit.digits;
    snprintf(text + length, sizeof text - (size_t)length, "e%ld", exponent);
    return labrys_store_real(item, text);
}

static bool read_logical(const struct item *item, long end) {
    int c = skip_blanks(end);
    if (c == '.') {
        labrys_column++;
        c = field_character(labrys_column, end);
    }
    bool value = (c | 32) == 't';
    if (!value && (c | 32) != 'f') return labrys_input_fails(IOSTAT_GENERIC);
    store_integer(item->place, item->size, value);
    while (field_character(labrys_column, end) != -1) labrys_column++;
    return true;
}

/* The rightmost characters of a wide field, blanks behind a narrow one. */
static bool read_characters(const struct item *item) {
    long size = (long)item->size, width = edit.width == 0 ? size : edit.width;
    char *to = item->place;
    long column = labrys_column + (width > size ? width - size : 0), end = labrys_column + width;
    for (long i = 0; i < size; i++, column++) {
        int c = column < end ? labrys_character(column) : -1;
        to[i] = c == -1 ? ' ' : (char)c;
    }
    labrys_column = end;
    return true;
}

/* Whether an edit descriptor is one for a type. */
static bool serves(enum category category) {
    switch (edit.letter) {
    case 'I': return category == INPUT_INTEGER;
    case 'A': return category == INPUT_CHARACTER;
    case 'L': return category == INPUT_LOGICAL;
    case 'G': return category != INPUT_CHARACTER;
    default: return category == INPUT_REAL;
    }
}

/* What flang says of a format that goes on behind the last record: that the empty field is none of the type, where it would be none. */
static int behind_last(enum category category) {
    switch (category) {
    case INPUT_REAL: return IOSTAT_BAD_REAL;
    case INPUT_LOGICAL: return IOSTAT_GENERIC;
    default: return IOSTAT_END;
    }
}

bool labrys_read_formatted(const struct item *item) {
    bool fails = !has_begun && !labrys_has_record();
    has_begun = true;
    if (fails) return labrys_input_fails(IOSTAT_END);
    if (!find_edit(false, &fails)) return labrys_input_fails(behind_last(item->category));
    edit.left--;
    if (!serves(item->category)) labrys_unmodelled("an edit descriptor for another type, in Fortran");
    if (item->category == INPUT_CHARACTER) return read_characters(item);
    long end = labrys_column + edit.width;
    is_comma_read = false;
    bool is_good = item->category == INPUT_INTEGER   ? read_integer(item, end)
                   : item->category == INPUT_LOGICAL ? read_logical(item, end)
                                                     : read_real(item, end);
    labrys_column = is_comma_read ? labrys_column + 1 : end;
    return is_good;
}

void labrys_end_formatted(void) {
    bool fails = !has_begun && !labrys_has_record();
    if (!fails && edit.left == 0) find_edit(true, &fails);
    if (fails) labrys_input_fails(IOSTAT_END);
}
