// What streams know of the world: the locale of C, which is the only one that there is, its facets, and what streams of all kinds have in common.
// Headers of libstdc++ have most of it; what they only declare is defined here, as libstdc++ has it. Compiled without access control, for facets and
// locales are made where no constructor is public.

#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <sstream>
#include "cxx_streams.h"
#include "labrys.h"

bool labrys_cin_is_apart;

namespace std {

// Facets: each kind of them has its place. What tells kinds apart has a constructor that does nothing, which would be called before main.
size_t ctype_id __asm__("_ZNSt5ctypeIcE2idE"), numpunct_id __asm__("_ZNSt7__cxx118numpunctIcE2idE"),
    num_put_id __asm__("_ZNSt7num_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE2idE"),
    num_get_id __asm__("_ZNSt7num_getIcSt19istreambuf_iteratorIcSt11char_traitsIcEEE2idE");

enum { CHARACTERS, PUNCTUATION, PUT, GET, PLACES };

size_t locale::id::_M_id() const noexcept {
    if (this == &std::ctype<char>::id) return CHARACTERS;
    if (this == &numpunct<char>::id) return PUNCTUATION;
    if (this == &num_put<char>::id) return PUT;
    if (this == &num_get<char>::id) return GET;
    labrys_unmodelled("a facet of a locale");
}

locale::facet::~facet() {}
__c_locale locale::facet::_S_get_c_locale() { return nullptr; }

// Characters.
ctype<char>::~ctype() {}
ctype<char>::ctype(const mask *table, bool, size_t references)
    : facet(references), _M_c_locale_ctype(nullptr), _M_del(false), _M_toupper(nullptr), _M_tolower(nullptr),
      _M_table(table ? table : *__ctype_b_loc()), _M_widen_ok(1), _M_narrow_ok(1) {
    for (int c = 0; c < 256; c++) _M_widen[c] = _M_narrow[c] = static_cast<char>(c);
}
char ctype<char>::do_toupper(char c) const { return static_cast<char>(toupper(static_cast<unsigned char>(c))); }
char ctype<char>::do_tolower(char c) const { return static_cast<char>(tolower(static_cast<unsigned char>(c))); }
const char *ctype<char>::do_toupper(char *from, const char *to) const {
    for (; from < to; from++) *from = do_toupper(*from);
    return to;
}
const char *ctype<char>::do_tolower(char *from, const char *to) const {
    for (; from < to; from++) *from = do_tolower(*from);
    return to;
}

// Numbers: how they are written is what printf does.
template <>
void numpunct<char>::_M_initialize_numpunct(__c_locale) {
    if (!_M_data) _M_data = new __numpunct_cache<char>;
    _M_data->_M_grouping = "";
    _M_data->_M_grouping_size = 0;
    _M_data->_M_use_grouping = false;
    _M_data->_M_decimal_point = '.';
    _M_data->_M_thousands_sep = ',';
    for (size_t i = 0; i < __num_base::_S_oend; i++) _M_data->_M_atoms_out[i] = __num_base::_S_atoms_out[i];
    for (size_t i = 0; i < __num_base::_S_iend; i++) _M_data->_M_atoms_in[i] = __num_base::_S_atoms_in[i];
    _M_data->_M_truename = "true";
    _M_data->_M_truename_size = 4;
    _M_data->_M_falsename = "false";
    _M_data->_M_falsename_size = 5;
}
template <>
numpunct<char>::~numpunct() {
    delete _M_data;
}

const char *__num_base::_S_atoms_out = "-+xX0123456789abcdef0123456789ABCDEF";
const char *__num_base::_S_atoms_in = "-+xX0123456789abcdefABCDEF";

void __num_base::_S_format_float(const ios_base &stream, char *format, char modifier) noexcept {
    ios_base::fmtflags flags = stream.flags(), field = flags & ios_base::floatfield;
    bool is_upper = flags & ios_base::uppercase;
    *format++ = '%';
    if (flags & ios_base::showpos) *format++ = '+';
    if (flags & ios_base::showpoint) *format++ = '#';
    if (field != (ios_base::fixed | ios_base::scientific)) *format++ = '.', *format++ = '*';
    if (modifier) *format++ = modifier;
    if (field == ios_base::fixed) *format++ = 'f';
    else if (field == ios_base::scientific) *format++ = is_upper ? 'E' : 'e';
    else if (field == (ios_base::fixed | ios_base::scientific)) *format++ = is_upper ? 'A' : 'a';
    else *format++ = is_upper ? 'G' : 'g';
    *format = 0;
}

bool __verify_grouping(const char *, size_t, const string &) noexcept { labrys_unmodelled("digits in groups"); }

// What a text has to be read as: all of it, and no infinity.
template <typename Number>
static void convert(const char *text, Number &value, ios_base::iostate &error, Number read, const char *end) {
    value = read;
    if (end == text || *end != 0) {
        value = 0;
        error = ios_base::failbit;
    } else if (read == numeric_limits<Number>::infinity()) {
        value = numeric_limits<Number>::max();
        error = ios_base::failbit;
    } else if (read == -numeric_limits<Number>::infinity()) {
        value = -numeric_limits<Number>::max();
        error = ios_base::failbit;
    }
}
template <>
void __convert_to_v(const char *text, float &value, ios_base::iostate &error, const __c_locale &) noexcept {
    char *end;
    float read = strtof(text, &end);
    convert(text, value, error, read, end);
}
template <>
void __convert_to_v(const char *text, double &value, ios_base::iostate &error, const __c_locale &) noexcept {
    char *end;
    double read = strtod(text, &end);
    convert(text, value, error, read, end);
}
template <>
void __convert_to_v(const char *text, long double &value, ios_base::iostate &error, const __c_locale &) noexcept {
    char *end;
    long double read = strtold(text, &end);
    convert(text, value, error, read, end);
}

// Nobody sees what goes to such a buffer: no number is written there.
struct unseeing_put final : num_put<char> {
    unseeing_put() : num_put<char>(1) {}
#define PUTS(type)                                                                                    \
    iter_type do_put(iter_type to, ios_base &stream, char fill, type value) const override {          \
        if (to._M_sbuf == labrys_unseen()) {                                                          \
            stream.width(0);                                                                          \
            return to;                                                                                \
        }                                                                                             \
        return num_put<char>::do_put(to, stream, fill, value);                                        \
    }
    PUTS(bool) PUTS(long) PUTS(unsigned long) PUTS(long long) PUTS(unsigned long long) PUTS(double) PUTS(long double) PUTS(const void *)
};

template class num_put<char>;
template class num_get<char>;

// The locale. It is made when it is asked for, and nothing of it ever goes away.
struct implementation {
    _Atomic_word references;
    const locale::facet **facets;
    size_t size;
    const locale::facet **caches;
    char **names;
};

static const locale::facet *facets[PLACES], *caches[PLACES];
static implementation classic_implementation = {1, facets, PLACES, caches, nullptr};
static locale *classic_locale;

const locale &locale::classic() {
    alignas(locale) static char memory[sizeof(locale)];
    if (classic_locale) return *classic_locale;
    alignas(std::ctype<char>) static char characters[sizeof(std::ctype<char>)];
    alignas(numpunct<char>) static char punctuation[sizeof(numpunct<char>)];
    alignas(unseeing_put) static char put[sizeof(unseeing_put)];
    alignas(num_get<char>) static char get[sizeof(num_get<char>)];
    alignas(__numpunct_cache<char>) static char cache[sizeof(__numpunct_cache<char>)];
    facets[CHARACTERS] = new (characters) std::ctype<char>(nullptr, false, 1);
    facets[PUNCTUATION] = new (punctuation) numpunct<char>(new (cache) __numpunct_cache<char>(1), 1);
    facets[PUT] = new (put) unseeing_put;
    facets[GET] = new (get) num_get<char>(1);
    caches[PUNCTUATION] = reinterpret_cast<__numpunct_cache<char> *>(cache);
    classic_locale = reinterpret_cast<locale *>(memory);
    classic_locale->_M_impl = reinterpret_cast<_Impl *>(&classic_implementation);
    return *classic_locale;
}

locale::locale() noexcept : _M_impl(classic()._M_impl) {}
locale::locale(const locale &other) noexcept : _M_impl(other._M_impl) {}
locale::~locale() noexcept {}
const locale &locale::operator=(const locale &other) noexcept {
    _M_impl = other._M_impl;
    return *this;
}
bool locale::operator==(const locale &other) const noexcept { return _M_impl == other._M_impl; }
string locale::name() const { return "C"; }
locale locale::global(const locale &) { return classic(); }
void locale::_Impl::_M_install_cache(const facet *, size_t) { labrys_unmodelled("a facet of a locale"); }

template const ctype<char> &use_facet<ctype<char>>(const locale &);
template const numpunct<char> &use_facet<numpunct<char>>(const locale &);
template const num_put<char> &use_facet<num_put<char>>(const locale &);
template const num_get<char> &use_facet<num_get<char>>(const locale &);
template bool has_facet<ctype<char>>(const locale &);
template bool has_facet<num_put<char>>(const locale &);
template bool has_facet<num_get<char>>(const locale &);

// What all streams have.
ios_base::ios_base() noexcept
    : _M_precision(), _M_width(), _M_flags(), _M_exception(), _M_streambuf_state(), _M_callbacks(nullptr), _M_word_zero(),
      _M_word_size(_S_local_word_size), _M_word(_M_local_word), _M_ios_locale() {}
ios_base::~ios_base() {}
void ios_base::_M_init() noexcept {
    _M_precision = 6;
    _M_width = 0;
    _M_flags = skipws | dec;
    _M_ios_locale = locale();
}
void ios_base::_M_call_callbacks(event) noexcept {}
void ios_base::_M_dispose_callbacks() noexcept {}
void ios_base::register_callback(event_callback, int) { labrys_unmodelled("what a stream calls"); }
ios_base::_Words &ios_base::_M_grow_words(int, bool) { labrys_unmodelled("words of a stream"); }
int ios_base::xalloc() noexcept {
    static int next;
    return next++ + 4;
}
locale ios_base::imbue(const locale &other) noexcept {
    locale before = _M_ios_locale;
    _M_ios_locale = other;
    return before;
}
bool ios_base::sync_with_stdio(bool is_synced) {
    bool before = !labrys_cin_is_apart;
    if (!is_synced) labrys_cin_is_apart = true;
    return before;
}
void ios_base::_M_move(ios_base &other) noexcept {
    _M_precision = other._M_precision;
    _M_width = other._M_width;
    _M_flags = other._M_flags;
    _M_exception = other._M_exception;
    _M_streambuf_state = other._M_streambuf_state;
    for (int i = 0; i < _S_local_word_size; i++) {
        _M_local_word[i] = other._M_local_word[i];
        other._M_local_word[i] = _Words();
    }
    _M_ios_locale = other._M_ios_locale;
}
void ios_base::_M_swap(ios_base &other) noexcept {
    swap(_M_precision, other._M_precision);
    swap(_M_width, other._M_width);
    swap(_M_flags, other._M_flags);
    swap(_M_exception, other._M_exception);
    swap(_M_streambuf_state, other._M_streambuf_state);
    for (int i = 0; i < _S_local_word_size; i++) swap(_M_local_word[i], other._M_local_word[i]);
}
void __throw_ios_failure(const char *) { labrys_unmodelled("a stream that throws"); }
void __throw_ios_failure(const char *, int) { labrys_unmodelled("a stream that throws"); }

}  // namespace std

namespace __gnu_cxx {
extern "C" locale_t __uselocale(locale_t) { return nullptr; }
}  // namespace __gnu_cxx

namespace __cxxabiv1 {
__forced_unwind::~__forced_unwind() noexcept {}
}  // namespace __cxxabiv1
