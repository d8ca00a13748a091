/* Output of C++'s streams, which nobody sees: what is written is not looked at. Other uses of streams are not modelled. */

#include "labrys.h"

/* A stream, as what has been printed to. */
#define PRINTS(symbol, ...)                                     \
    void *symbol(void *stream, __VA_ARGS__) { return stream; }

PRINTS(_ZNSolsEi, int value)
PRINTS(_ZNSolsEj, unsigned value)
PRINTS(_ZNSolsEl, long value)
PRINTS(_ZNSolsEm, unsigned long value)
PRINTS(_ZNSolsEx, long long value)
PRINTS(_ZNSolsEy, unsigned long long value)
PRINTS(_ZNSolsEs, short value)
PRINTS(_ZNSolsEt, unsigned short value)
PRINTS(_ZNSolsEb, _Bool value)
PRINTS(_ZNSolsEf, float value)
PRINTS(_ZNSolsEd, double value)
PRINTS(_ZNSolsEe, long double value)
PRINTS(_ZNSolsEPKv, const void *value)
/* Manipulators: functions of streams, which only change how things are printed. */
PRINTS(_ZNSolsEPFRSoS_E, void *(*manipulator)(void *))
PRINTS(_ZNSolsEPFRSt8ios_baseS0_E, void *(*manipulator)(void *))
PRINTS(_ZNSolsEPFRSt9basic_iosIcSt11char_traitsIcEES3_E, void *(*manipulator)(void *))
PRINTS(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, const char *text)
PRINTS(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, char value)
PRINTS(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_a, signed char value)
PRINTS(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_h, unsigned char value)
PRINTS(_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE, const void *text)
PRINTS(_ZNSo3putEc, char value)
PRINTS(_ZNSo5writeEPKcl, const char *text, long length)

void *_ZNSo5flushEv(void *stream) {
    return stream;
}

void *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *stream) {
    return stream;
}

void *_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(void *stream) {
    return stream;
}

/* setw, setprecision and their kin are values of one number. */
PRINTS(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw, int value)
PRINTS(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision, int value)
PRINTS(_ZStlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E, char value)

/* The streams, as far as headers look into them: their base class, with how numbers are printed, lies behind the first eight bytes. */
static const long stream_table[3] = {8, 0, 0};

#define STREAM(symbol)                                                  \
    struct {                                                            \
        const void *table;                                              \
        char rest[264];                                                 \
    } symbol = {stream_table + 3, {0}};

STREAM(_ZSt4cout)
STREAM(_ZSt4cerr)
STREAM(_ZSt4clog)

void _ZNSt8ios_base4InitC1Ev(void *self) {}
void _ZNSt8ios_base4InitD1Ev(void *self) {}
