/* flang's runtime: output, which nobody sees, but for what goes to a variable. Files are not modelled. */

#include "fortran.h"

/* What a statement knows of itself while it is executed. */
static struct statement {
    int kind;
} statement;

void *_FortranAioBeginExternalListOutput(int32_t unit, const char *file, int line) {
    return &statement;
}

void *_FortranAioBeginExternalFormattedOutput(const char *format, size_t length, const void *descriptor, int32_t unit, const char *file,
                                              int line) {
    return &statement;
}

void *_FortranAioBeginFlush(int32_t unit, const char *file, int line) {
    return &statement;
}

/* A variable that is written to gets any characters: what hangs on them no native run shows. */
static void *write_any(char *into, size_t length) {
    for (size_t i = 0; i < length; i++) into[i] = (char)labrys_any(8);
    return &statement;
}

void *_FortranAioBeginInternalListOutput(char *into, size_t length, void **scratch, size_t scratch_size, const char *file, int line) {
    return write_any(into, length);
}

void *_FortranAioBeginInternalFormattedOutput(char *into, size_t length, const char *format, size_t format_length,
                                              const void *descriptor, void **scratch, size_t scratch_size, const char *file, int line) {
    return write_any(into, length);
}

#define UNMODELLED(function, what)          \
    void *_FortranAio##function(void) {     \
        labrys_unmodelled(what);            \
    }

UNMODELLED(BeginUnformattedInput, "read of a file, in Fortran")
UNMODELLED(BeginUnformattedOutput, "unformatted output, in Fortran")
UNMODELLED(BeginOpenUnit, "open, in Fortran")
UNMODELLED(BeginOpenNewUnit, "open, in Fortran")
UNMODELLED(BeginClose, "close, in Fortran")
UNMODELLED(BeginRewind, "rewind, in Fortran")
UNMODELLED(BeginInquireUnit, "inquire, in Fortran")
UNMODELLED(BeginInquireFile, "inquire, in Fortran")
UNMODELLED(BeginInternalArrayFormattedOutput, "write to an array, in Fortran")
UNMODELLED(BeginInternalArrayListOutput, "write to an array, in Fortran")

bool _FortranAioSetAdvance(void *cookie, const char *text, size_t length) {
    return true;
}

#define WRITES(type, ...)                                 \
    bool _FortranAioOutput##type(void *cookie, __VA_ARGS__) { \
        return true;                                      \
    }

WRITES(Ascii, const char *text, size_t length)
WRITES(Character, const char *text, size_t length, int kind)
WRITES(Integer8, int8_t value)
WRITES(Integer16, int16_t value)
WRITES(Integer32, int32_t value)
WRITES(Integer64, int64_t value)
WRITES(Integer128, __int128 value)
WRITES(Real32, float value)
WRITES(Real64, double value)
WRITES(Complex32, float re, float im)
WRITES(Complex64, double re, double im)
WRITES(Logical, bool value)
WRITES(Descriptor, const struct descriptor *array)

bool _FortranAioOutputDerivedType(void *cookie, const struct descriptor *array, const void *table) {
    labrys_unmodelled("output of a derived type with a procedure of its own, in Fortran");
}
