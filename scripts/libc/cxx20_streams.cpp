// What streams of texts have besides since C++20, as libstdc++'s headers have it: constructors from texts that are moved, `str() const &`, `str() &&`,
// `view()`. What they are made of is that of `cxx_streams.cpp`.

#include <sstream>

namespace std {

template class basic_stringbuf<char>;
template class basic_istringstream<char>;
template class basic_ostringstream<char>;
template class basic_stringstream<char>;

}
