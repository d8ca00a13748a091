// Streams of C++: those of texts are executed as libstdc++'s headers have them; std::cin reads what C's standard input has, and nobody sees what std::cout
// and its kin get. What headers only declare is defined here, as libstdc++ has it.

#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE 0
#include <ext/stdio_sync_filebuf.h>
#include <iomanip>
#include <istream>
#include <limits>
#include <new>
#include <ostream>
#include <sstream>
#include "cxx_streams.h"
#include "labrys.h"

namespace {

struct unseen_buffer final : std::streambuf {
    int_type overflow(int_type c) override { return traits_type::not_eof(c); }
    std::streamsize xsputn(const char *, std::streamsize count) override { return count; }
};

alignas(unseen_buffer) char unseen[sizeof(unseen_buffer)];

// What std::cin reads by: C's standard input, or a buffer of its own, which holds more than one character that can be put back.
struct input_buffer final : __gnu_cxx::stdio_sync_filebuf<char> {
    typedef __gnu_cxx::stdio_sync_filebuf<char> base;
    input_buffer() : base(stdin) {}
    template <typename Read>
    static auto apart(Read read) {
        labrys_reader = labrys_cin_is_apart;
        auto result = read();
        labrys_reader = 0;
        return result;
    }
    int_type underflow() override { return apart([&] { return base::underflow(); }); }
    int_type uflow() override { return apart([&] { return base::uflow(); }); }
    std::streamsize xsgetn(char *to, std::streamsize count) override { return apart([&] { return base::xsgetn(to, count); }); }
    int_type pbackfail(int_type c) override {
        if (labrys_cin_is_apart) labrys_unmodelled("putting back to std::cin where it has a buffer of its own");
        return base::pbackfail(c);
    }
    std::streamsize showmanyc() override {
        if (labrys_cin_is_apart) labrys_unmodelled("what std::cin has in a buffer of its own");
        return base::showmanyc();
    }
};

// The test that ctype makes in the locale of C; a table would have a place for each character.
bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

typedef std::istream::traits_type traits;
const int END = traits::eof();

// The rest of a line or so of a stream. `limit` characters at most; what is read goes to `take`.
template <typename Ends, typename Take>
int read_while(std::streambuf *from, std::streamsize limit, Ends ends, Take take) {
    int c = from->sgetc();
    for (; limit > 0 && c != END && !ends(c); limit--) {
        take(traits::to_char_type(c));
        c = from->snextc();
    }
    return c;
}

}  // namespace

std::streambuf *labrys_unseen() { return reinterpret_cast<std::streambuf *>(unseen); }

namespace std {

template <>
istream::sentry::sentry(istream &stream, bool keeps_spaces) : _M_ok(false) {
    ios_base::iostate error = ios_base::goodbit;
    if (stream.good()) {
        if (stream.tie()) stream.tie()->flush();
        if (!keeps_spaces && (stream.flags() & ios_base::skipws)) {
            int c = stream.rdbuf()->sgetc();
            while (c != END && is_space(c)) c = stream.rdbuf()->snextc();
            if (c == END) error |= ios_base::eofbit;
        }
    }
    if (stream.good() && error == ios_base::goodbit) _M_ok = true;
    else stream.setstate(error | ios_base::failbit);
}

// Nobody sees when std::cerr is flushed.
template <>
ostream::sentry::~sentry() {
    if ((_M_os.flags() & ios_base::unitbuf) && _M_os.rdbuf() != labrys_unseen())
        labrys_unmodelled("a stream that is flushed behind each output");
}

template <>
istream &istream::getline(char *to, streamsize size, char delimiter) {
    _M_gcount = 0;
    ios_base::iostate error = ios_base::goodbit;
    sentry is_ready(*this, true);
    if (is_ready) {
        auto is_end = [=](int c) { return c == traits::to_int_type(delimiter); };
        int c = read_while(rdbuf(), size - 1, is_end, [&](char read) { *to++ = read, ++_M_gcount; });
        if (c == END) error |= ios_base::eofbit;
        else if (is_end(c)) ++_M_gcount, rdbuf()->sbumpc();
        else error |= ios_base::failbit;
    }
    if (size > 0) *to = 0;
    if (!_M_gcount) error |= ios_base::failbit;
    if (error) setstate(error);
    return *this;
}

template <>
istream &istream::ignore(streamsize count, int delimiter) {
    _M_gcount = 0;
    sentry is_ready(*this, true);
    if (is_ready && count > 0) {
        // The greatest number stands for any.
        bool is_all = count == numeric_limits<streamsize>::max();
        ios_base::iostate error = ios_base::goodbit;
        while (is_all || _M_gcount < count) {
            int c = rdbuf()->sbumpc();
            if (c == END) {
                error |= ios_base::eofbit;
                break;
            }
            ++_M_gcount;
            if (c == delimiter) break;
        }
        if (error) setstate(error);
    }
    return *this;
}

template <>
istream &istream::ignore(streamsize count) {
    return ignore(count, END);
}

template <>
istream &operator>>(istream &stream, string &text) {
    size_t extracted = 0;
    ios_base::iostate error = ios_base::goodbit;
    istream::sentry is_ready(stream, false);
    if (is_ready) {
        text.erase();
        streamsize width = stream.width(), most = width > 0 ? width : numeric_limits<streamsize>::max();
        int c = read_while(stream.rdbuf(), most, is_space, [&](char read) { text += read, extracted++; });
        if (extracted < static_cast<size_t>(most) && c == END) error |= ios_base::eofbit;
        stream.width(0);
    }
    if (!extracted) error |= ios_base::failbit;
    if (error) stream.setstate(error);
    return stream;
}

void __istream_extract(istream &stream, char *to, streamsize size) {
    size_t extracted = 0;
    ios_base::iostate error = ios_base::goodbit;
    istream::sentry is_ready(stream, false);
    if (is_ready) {
        streamsize width = stream.width();
        if (0 < width && width < size) size = width;
        int c = read_while(stream.rdbuf(), size - 1, is_space, [&](char read) { *to++ = read, extracted++; });
        if (extracted < static_cast<size_t>(size - 1) && c == END) error |= ios_base::eofbit;
        *to = 0;
        stream.width(0);
    }
    if (!extracted) error |= ios_base::failbit;
    if (error) stream.setstate(error);
}

template <>
istream &getline(istream &stream, string &text, char delimiter) {
    size_t extracted = 0;
    ios_base::iostate error = ios_base::goodbit;
    istream::sentry is_ready(stream, true);
    if (is_ready) {
        text.erase();
        auto is_end = [=](int c) { return c == traits::to_int_type(delimiter); };
        auto take = [&](char read) { text += read, extracted++; };
        int c = read_while(stream.rdbuf(), numeric_limits<streamsize>::max(), is_end, take);
        if (c == END) error |= ios_base::eofbit;
        else if (is_end(c)) extracted++, stream.rdbuf()->sbumpc();
    }
    if (!extracted) error |= ios_base::failbit;
    if (error) stream.setstate(error);
    return stream;
}

template class basic_streambuf<char>;
template class basic_ios<char>;
template class basic_ostream<char>;
template class basic_istream<char>;
template class basic_iostream<char>;
template class basic_stringbuf<char>;
template class basic_istringstream<char>;
template class basic_ostringstream<char>;
template class basic_stringstream<char>;

template ostream &ostream::_M_insert(long);
template ostream &ostream::_M_insert(unsigned long);
template ostream &ostream::_M_insert(bool);
template ostream &ostream::_M_insert(long long);
template ostream &ostream::_M_insert(unsigned long long);
template ostream &ostream::_M_insert(double);
template ostream &ostream::_M_insert(long double);
template ostream &ostream::_M_insert(const void *);
template istream &istream::_M_extract(unsigned short &);
template istream &istream::_M_extract(unsigned int &);
template istream &istream::_M_extract(long &);
template istream &istream::_M_extract(unsigned long &);
template istream &istream::_M_extract(bool &);
template istream &istream::_M_extract(long long &);
template istream &istream::_M_extract(unsigned long long &);
template istream &istream::_M_extract(float &);
template istream &istream::_M_extract(double &);
template istream &istream::_M_extract(long double &);
template istream &istream::_M_extract(void *&);

template ostream &endl(ostream &);
template ostream &ends(ostream &);
template ostream &flush(ostream &);
template ostream &operator<<(ostream &, char);
template ostream &operator<<(ostream &, unsigned char);
template ostream &operator<<(ostream &, signed char);
template ostream &operator<<(ostream &, const char *);
template ostream &operator<<(ostream &, const unsigned char *);
template ostream &operator<<(ostream &, const signed char *);
template ostream &operator<<(ostream &, const string &);
template ostream &__ostream_insert(ostream &, const char *, streamsize);
template ostream &operator<<(ostream &, _Setfill<char>);
template ostream &operator<<(ostream &, _Setprecision);
template ostream &operator<<(ostream &, _Setw);
template ostream &operator<<(ostream &, _Setbase);
template ostream &operator<<(ostream &, _Setiosflags);
template ostream &operator<<(ostream &, _Resetiosflags);
template istream &ws(istream &);
template istream &operator>>(istream &, char &);
template istream &operator>>(istream &, unsigned char &);
template istream &operator>>(istream &, signed char &);
template istream &operator>>(istream &, _Setfill<char>);
template istream &operator>>(istream &, _Setprecision);
template istream &operator>>(istream &, _Setw);
template istream &operator>>(istream &, _Setbase);
template istream &operator>>(istream &, _Setiosflags);
template istream &operator>>(istream &, _Resetiosflags);
template istream &getline(istream &, string &);
template istream &getline(istream &&, string &, char);
template istream &getline(istream &&, string &);

// The program's streams, under the names that <iostream> has for them.
alignas(istream) char standard_input[sizeof(istream)] __asm__("_ZSt3cin");
alignas(ostream) char standard_output[sizeof(ostream)] __asm__("_ZSt4cout");
alignas(ostream) char standard_error[sizeof(ostream)] __asm__("_ZSt4cerr");
alignas(ostream) char standard_log[sizeof(ostream)] __asm__("_ZSt4clog");

ios_base::Init::Init() {
    static bool is_done;
    if (is_done) return;
    is_done = true;
    alignas(input_buffer) static char input[sizeof(input_buffer)];
    streambuf *output = new (unseen) unseen_buffer;
    ostream *out = new (standard_output) ostream(output);
    istream *in = new (standard_input) istream(new (input) input_buffer);
    ostream *error = new (standard_error) ostream(output);
    new (standard_log) ostream(output);
    in->tie(out);
    error->setf(ios_base::unitbuf);
    error->tie(out);
}
ios_base::Init::~Init() {}

}  // namespace std
