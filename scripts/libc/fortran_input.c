/* flang's runtime: input from standard input and from variables, list-directed and formatted. What was found by calls of it is as it is there, also where the
   standard says something else; texts that it reads in ways of its own end the path. */

#include <errno.h>
#include <fenv.h>
#include <float.h>
#include "fortran_input.h"

enum kind { LISTED, FORMATTED };

/* What is read: a variable, or standard input. */
static struct {
    enum kind kind;
    const char *text;
    long length;
    /* Of a line: how far it was looked at, and whether that is its end. */
    long seen;
    bool is_end_seen;
    int iostat;
    bool handles_errors, handles_end;
} input;

long labrys_column;

static struct input_statement {
    int is;
} statement;

/* Whether the line ends there: before a line feed, which a carriage return may precede, or with the input. */
static bool ends_at(long column) {
    int c = labrys_look_ahead((unsigned long)column);
    if (c != '\r') return c == '\n' || c == -1;
    if (labrys_look_ahead((unsigned long)column + 1) != '\n') labrys_unmodelled("a carriage return inside of a line, in Fortran");
    return true;
}

int labrys_character(long column) {
    if (input.text) return column < input.length ? (unsigned char)input.text[column] : -1;
    for (; !input.is_end_seen && input.seen <= column; input.seen++)
        if (ends_at(input.seen)) {
            input.is_end_seen = true;
            break;
        }
    return column < input.seen ? labrys_look_ahead((unsigned long)column) : -1;
}

static void begin_record(void) {
    labrys_column = input.seen = 0;
    input.is_end_seen = false;
}

/* Goes to the next line, whose beginning the stream then stands at. */
static void skip_line(void) {
    long ahead = 0;
    int c;
    while ((c = labrys_look_ahead((unsigned long)ahead)) != '\n' && c != -1) ahead++;
    labrys_skip((unsigned long)(c == '\n' ? ahead + 1 : ahead));
    begin_record();
}

bool labrys_has_record(void) {
    return input.text || labrys_look_ahead(0) != -1;
}

bool labrys_next_record(void) {
    if (input.text) return false;
    skip_line();
    return labrys_has_record();
}

bool labrys_input_fails(int iostat) {
    bool is_handled = iostat == IOSTAT_END ? input.handles_end : input.handles_errors;
    if (!is_handled) abort();
    if (input.iostat == 0) input.iostat = iostat;
    return false;
}

/* The standard input's unit; others are files. */
static void check_unit(int32_t unit) {
    if (unit != 5) labrys_unmodelled("read of a file, in Fortran");
}

static void *begin(enum kind kind, const char *text, size_t length) {
    input.kind = kind;
    input.text = text;
    input.length = (long)length;
    input.iostat = 0;
    input.handles_errors = input.handles_end = false;
    begin_record();
    if (kind == LISTED) labrys_begin_listed();
    return &statement;
}

void *_FortranAioBeginExternalListInput(int32_t unit, const char *file, int line) {
    check_unit(unit);
    return begin(LISTED, NULL, 0);
}

void *_FortranAioBeginInternalListInput(const char *text, size_t length, void **scratch, size_t scratch_size, const char *file, int line) {
    return begin(LISTED, text, length);
}

void *_FortranAioBeginExternalFormattedInput(const char *format, size_t format_length, const void *descriptor, int32_t unit, const char *file,
                                             int line) {
    check_unit(unit);
    labrys_begin_formatted(format, format_length);
    return begin(FORMATTED, NULL, 0);
}

void *_FortranAioBeginInternalFormattedInput(const char *text, size_t length, const char *format, size_t format_length, const void *descriptor,
                                             void **scratch, size_t scratch_size, const char *file, int line) {
    labrys_begin_formatted(format, format_length);
    return begin(FORMATTED, text, length);
}

void _FortranAioEnableHandlers(void *cookie, bool iostat, bool error, bool end, bool record, bool message) {
    if (cookie != &statement) return;
    input.handles_errors = iostat || error;
    input.handles_end = iostat || end;
}

/* The words of a message are flang's; what hangs on them no native run shows. */
void _FortranAioGetIoMsg(void *cookie, char *into, size_t length) {
    if (cookie != &statement || input.iostat == 0) return;
    for (size_t i = 0; i < length; i++) into[i] = (char)labrys_any(8);
}

static bool read_item(enum category category, void *place, size_t size) {
    if (input.iostat != 0) return false;
    struct item item = {category, place, size};
    return input.kind == LISTED ? labrys_read_listed(&item) : labrys_read_formatted(&item);
}

static bool read_complex(void *place, size_t size) {
    if (input.iostat != 0) return false;
    if (input.kind == LISTED) return labrys_read_listed_complex(place, size);
    return read_item(INPUT_REAL, place, size / 2) && read_item(INPUT_REAL, (char *)place + size / 2, size / 2);
}

bool _FortranAioInputInteger(void *cookie, int64_t *place, int kind) {
    return read_item(INPUT_INTEGER, place, (size_t)kind);
}

bool _FortranAioInputReal32(void *cookie, float *place) {
    return read_item(INPUT_REAL, place, sizeof *place);
}

bool _FortranAioInputReal64(void *cookie, double *place) {
    return read_item(INPUT_REAL, place, sizeof *place);
}

bool _FortranAioInputComplex32(void *cookie, float *place) {
    return read_complex(place, 2 * sizeof *place);
}

bool _FortranAioInputComplex64(void *cookie, double *place) {
    return read_complex(place, 2 * sizeof *place);
}

bool _FortranAioInputLogical(void *cookie, bool *place) {
    return read_item(INPUT_LOGICAL, place, sizeof *place);
}

bool _FortranAioInputAscii(void *cookie, char *place, size_t length) {
    return read_item(INPUT_CHARACTER, place, length);
}

bool _FortranAioInputCharacter(void *cookie, char *place, size_t length, int kind) {
    if (kind != 1) labrys_unmodelled("input of characters of more than a byte, in Fortran");
    return read_item(INPUT_CHARACTER, place, length);
}

static bool read_element(const struct descriptor *array, char *place) {
    int type = array->type;
    size_t size = array->size;
    if (type == TYPE_COMPLEX4 || type == TYPE_COMPLEX8) return read_complex(place, size);
    enum category category;
    if (type >= TYPE_INTEGER1 && type <= TYPE_INTEGER8) category = INPUT_INTEGER;
    else if (type == TYPE_LOGICAL1 || (type >= TYPE_LOGICAL2 && type <= TYPE_LOGICAL8)) category = INPUT_LOGICAL;
    else if (type == TYPE_REAL4 || type == TYPE_REAL8) category = INPUT_REAL;
    else if (type == TYPE_CHARACTER) category = INPUT_CHARACTER;
    else labrys_unmodelled("input of such a type, in Fortran");
    return read_item(category, place, size);
}

bool _FortranAioInputDescriptor(void *cookie, const struct descriptor *array) {
    int64_t at[MAX_RANK] = {0};
    for (int64_t left = elements(array); left > 0; left--, advance(array, at))
        if (!read_element(array, element(array, at))) return false;
    return true;
}

int32_t _FortranAioEndIoStatement(void *cookie) {
    if (cookie != &statement) return 0;
    /* What is behind the last item is done also where that failed. */
    if (input.kind == FORMATTED) labrys_end_formatted();
    if (!input.text) skip_line();
    return input.iostat;
}

bool labrys_store_integer(const struct item *item, bool is_negative, unsigned __int128 magnitude) {
    unsigned __int128 most = ((unsigned __int128)1 << (8 * item->size - 1)) - !is_negative;
    if (magnitude > most) return labrys_input_fails(IOSTAT_INTEGER_OVERFLOW);
    store_integer(item->place, item->size, (int64_t)(is_negative ? -magnitude : magnitude));
    return true;
}

/* Whether a text has a digit that is not zero before its exponent. */
static bool is_positive(const char *text) {
    for (; *text && (*text | 32) != 'e'; text++)
        if (*text >= '1' && *text <= '9') return true;
    return false;
}

bool labrys_store_real(const struct item *item, const char *text) {
    bool is_single = item->size == sizeof(float);
    int mode = fegetround(), error = errno;
    fexcept_t flags;
    fegetexceptflag(&flags, FE_ALL_EXCEPT);
    feclearexcept(FE_ALL_EXCEPT);
    fesetround(FE_TONEAREST);
    double value = is_single ? strtof(text, NULL) : strtod(text, NULL);
    bool is_inexact = fetestexcept(FE_INEXACT);
    fesetround(mode);
    errno = error;
    fesetexceptflag(&flags, FE_ALL_EXCEPT);
    if (is_single) *(float *)item->place = (float)value;
    else *(double *)item->place = value;
    bool is_infinite = __builtin_isinf(value) && (text[text[0] == '-'] | 32) != 'i';
    /* What fails is not told by exceptions. */
    if (is_infinite) return labrys_input_fails(IOSTAT_REAL_OVERFLOW);
    double size = __builtin_fabs(value), least = is_single ? FLT_MIN : DBL_MIN;
    if (size == least) labrys_unmodelled("a number in a text that is rounded to the least of its type");
    /* No decimal number of so few digits is one of the subnormal ones. */
    if (size < least && is_positive(text)) feraiseexcept(FE_UNDERFLOW | FE_INEXACT);
    else if (is_inexact) feraiseexcept(FE_INEXACT);
    return true;
}
