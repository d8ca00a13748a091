/* List-directed input of Fortran (Fortran 2018, 13.10.3), as flang's runtime reads it: items between blanks and commas, `r*c` for an item r times, `r*` for
   r items that stay as they are, a slash for all that do. */

#include "fortran_input.h"

/* A repetition count as large as that is none. */
enum { LARGEST_COUNT = (2147483647 - '9') / 10 };

/* Where the statement is: behind an item, whose comma is then skipped; behind a slash; in a repeated item, which begins there. */
static bool is_behind_item, is_over, is_in_later_record;
static int left;
static long repeated;

enum next { NEXT_ITEM, NEXT_NULL, NEXT_FAILED };

void labrys_begin_listed(void) {
    is_behind_item = is_over = is_in_later_record = false;
    left = 0;
}

/* What ends a field. */
static bool is_end(int c) {
    switch (c) {
    case -1: case ' ': case '\t': case ',': case '/': case '(': case ')': case '\'': case '"': case '*': return true;
    default: return false;
    }
}

/* What may stand behind a value. */
static bool is_separator(int c) {
    return c == -1 || is_blank(c) || c == ',' || c == '/';
}

static int current(void) {
    return labrys_character(labrys_column);
}

/* The next character that is not blank, in a later record if need be; -1 behind the last. */
static int skip_blanks(void) {
    for (;;) {
        int c = current();
        if (c == -1 && !labrys_next_record()) return -1;
        is_in_later_record |= c == -1;
        if (c != -1 && !is_blank(c)) return c;
        if (c != -1) labrys_column++;
    }
}

/* Whether what a repetition count repeats is no value. */
static bool is_null(int c) {
    return c == -1 || is_blank(c) || c == ',';
}

/* Reads a repetition count, if one stands there. */
static enum next read_count(void) {
    long start = labrys_column;
    int count = 0, c = current();
    for (; c >= '0' && c <= '9'; c = current()) {
        if (count >= LARGEST_COUNT) {
            count = 0;
            break;
        }
        count = 10 * count + c - '0';
        labrys_column++;
    }
    if (count == 0 || c != '*') {
        if (c == '(' && is_in_later_record) labrys_unmodelled("a number before a parenthesis in a later line, in Fortran");
        labrys_column = start;
        return NEXT_ITEM;
    }
    labrys_column++;
    c = current();
    if (c == '/') {
        is_over = true;
        return NEXT_NULL;
    }
    left = count - 1;
    repeated = labrys_column;
    return is_null(c) ? NEXT_NULL : NEXT_ITEM;
}

/* Goes to where the next item begins. */
static enum next find_item(void) {
    if (is_over) return NEXT_NULL;
    if (left > 0) {
        left--;
        labrys_column = repeated;
        return is_null(current()) ? NEXT_NULL : NEXT_ITEM;
    }
    int c = skip_blanks();
    if (c == ',' && is_behind_item) {
        labrys_column++;
        c = skip_blanks();
    }
    is_behind_item = true;
    if (c == -1) {
        labrys_input_fails(IOSTAT_END);
        return NEXT_FAILED;
    }
    if (c == '/') is_over = true;
    if (c == '/' || c == ',') return NEXT_NULL;
    return read_count();
}

static bool read_integer(const struct item *item) {
    int c = current();
    bool is_negative = c == '-', has_any = c == '-' || c == '+', is_over_128 = false;
    if (has_any) labrys_column++;
    unsigned __int128 value = 0, most = ~(unsigned __int128)0;
    for (; !is_end(c = current()); labrys_column++) {
        unsigned digit = (unsigned)c - '0';
        if (digit > 9) return labrys_input_fails(IOSTAT_GENERIC);
        has_any = true;
        is_over_128 |= value > (most - digit) / 10;
        value = value * 10 + digit;
    }
    if (!has_any) return labrys_input_fails(IOSTAT_GENERIC);
    return is_over_128 ? labrys_input_fails(IOSTAT_INTEGER_OVERFLOW) : labrys_store_integer(item, is_negative, value);
}

static bool read_logical(const struct item *item) {
    int c = current();
    if (c == '.') {
        labrys_column++;
        c = current();
    }
    bool value = (c | 32) == 't';
    if (is_end(c) || (!value && (c | 32) != 'f')) return labrys_input_fails(IOSTAT_GENERIC);
    while (!is_end(current())) labrys_column++;
    if (!is_separator(current())) return labrys_input_fails(IOSTAT_BAD_SEPARATOR);
    store_integer(item->place, item->size, value);
    return true;
}

/* A text in quotes, which may go on in the next record. */
static bool read_quoted(const struct item *item, int quote) {
    long length = 0;
    char *to = item->place;
    bool has_next = true;
    for (labrys_column++; has_next;) {
        int c = current();
        if (c == -1) {
            if (left > 0) labrys_unmodelled("a repeated text of several lines, in Fortran");
            has_next = labrys_next_record();
            continue;
        }
        labrys_column++;
        if (c == quote) {
            if (current() != quote) break;
            labrys_column++;
        }
        if (length < (long)item->size) to[length++] = (char)c;
    }
    for (; length < (long)item->size; length++) to[length] = ' ';
    return has_next || labrys_input_fails(IOSTAT_END);
}

static bool read_characters(const struct item *item) {
    int c = current();
    if (c == '\'' || c == '"') return read_quoted(item, c);
    long length = 0;
    char *to = item->place;
    for (; (c = current()) != -1 && !is_blank(c) && c != ',' && c != '/'; labrys_column++)
        if (length < (long)item->size) to[length++] = (char)c;
    for (; length < (long)item->size; length++) to[length] = ' ';
    return true;
}

static int lower(int c) {
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* Whether the letters that stand there are a word; then they are passed. */
static bool passes_word(const char *word) {
    long at = labrys_column;
    for (; *word; word++, at++)
        if (lower(labrys_character(at)) != *word) return false;
    int c = lower(labrys_character(at));
    if (c >= 'a' && c <= 'z') return false;
    labrys_column = at;
    return true;
}

/* Appends the digits that stand there; the length then. */
static long read_digits(char *text, long length, bool takes_point) {
    int c;
    for (; ((c = current()) >= '0' && c <= '9') || (c == '.' && takes_point); labrys_column++) {
        if (length >= MOST_DIGITS) refuse_number();
        text[length++] = (char)c;
        if (c == '.') takes_point = false;
    }
    return length;
}

/* Appends a number as C writes it; the length then. */
static long read_number(char *text, long length) {
    /* Hexadecimal ones are flang's own, as a point alone is. */
    if (current() == '0' && lower(labrys_character(labrys_column + 1)) == 'x') refuse_number();
    text[length++] = '0';
    length = read_digits(text, length, true);
    int c = current(), letter = lower(c);
    bool has_letter = letter == 'e' || letter == 'd' || letter == 'q';
    if (!has_letter && c != '+' && c != '-') return length;
    if (has_letter) labrys_column++;
    text[length++] = 'e';
    c = current();
    if (c == '+' || c == '-') {
        text[length++] = (char)c;
        labrys_column++;
    }
    long first = length;
    length = read_digits(text, length, false);
    if (length == first) refuse_number();
    return length;
}

/* Writes the number that stands there as C does; 0 where none does. */
static long read_text(char *text) {
    long length = 0;
    int c = current();
    bool is_negative = c == '-';
    if (is_negative || c == '+') labrys_column++;
    if (is_negative) text[length++] = '-';
    c = lower(current());
    if (c == '.' || (c >= '0' && c <= '9')) return read_number(text, length);
    if (passes_word("inf") || passes_word("infinity")) {
        memcpy(text + length, "inf", 3);
        return length + 3;
    }
    if (!passes_word("nan")) return 0;
    /* What may stand in parentheses there. */
    if (current() == '(') refuse_number();
    memcpy(text + length, "nan", 3);
    return length + 3;
}

/* A number, in a complex one where parentheses end it. One character behind it is passed, whatever it is. */
static bool read_real(const struct item *item, bool in_parentheses) {
    static char text[MOST_DIGITS + 16];
    long length = read_text(text);
    if (length == 0) return labrys_input_fails(IOSTAT_BAD_REAL);
    text[length] = 0;
    if (!labrys_store_real(item, text)) return false;
    if (!is_end(current())) labrys_column++;
    int c = current();
    return is_separator(c) || (in_parentheses && c == ')') || labrys_input_fails(IOSTAT_BAD_SEPARATOR);
}

bool labrys_read_listed(const struct item *item) {
    enum next next = find_item();
    if (next != NEXT_ITEM) return next == NEXT_NULL;
    if (current() == '(') {
        if (item->category == INPUT_REAL) labrys_unmodelled("a number in parentheses, in Fortran");
        return labrys_input_fails(IOSTAT_BAD_EDIT);
    }
    switch (item->category) {
    case INPUT_INTEGER: return read_integer(item);
    case INPUT_LOGICAL: return read_logical(item);
    case INPUT_CHARACTER: return read_characters(item);
    default: return read_real(item, false);
    }
}

/* A part of a complex number and what stands behind it. */
static bool read_part(void *place, size_t size, int behind) {
    struct item part = {INPUT_REAL, place, size};
    int c = skip_blanks();
    if (c == -1) return labrys_input_fails(IOSTAT_END);
    if (c == ',' || c == '/') labrys_unmodelled("a complex number without a part, in Fortran");
    if (!read_real(&part, true)) return false;
    if (skip_blanks() != behind) labrys_unmodelled("a complex number that is not written as the standard says, in Fortran");
    labrys_column++;
    return true;
}

/* Whether nothing stands behind a parenthesis. */
static bool is_blank_behind(void) {
    long column = labrys_column + 1;
    while (is_blank(labrys_character(column))) column++;
    return labrys_character(column) == -1;
}

bool labrys_read_listed_complex(void *place, size_t size) {
    enum next next = find_item();
    if (next != NEXT_ITEM) return next == NEXT_NULL;
    if (current() != '(' || is_blank_behind()) labrys_unmodelled("a complex number that is not written as the standard says, in Fortran");
    labrys_column++;
    if (!read_part(place, size / 2, ',') || !read_part((char *)place + size / 2, size / 2, ')')) return false;
    return is_separator(current()) || labrys_input_fails(IOSTAT_BAD_SEPARATOR);
}
