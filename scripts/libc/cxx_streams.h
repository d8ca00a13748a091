/* C++'s streams among themselves. Part of labrys. */

#ifndef LABRYS_CXX_STREAMS_H
#define LABRYS_CXX_STREAMS_H

#include <istream>

namespace std {
// Declared here, defined in cxx_locale.cpp.
template <> locale::id numpunct<char>::id;
template <> locale::id num_put<char>::id;
template <> locale::id num_get<char>::id;
}  // namespace std

/* Whether std::cin has been told to have a buffer of its own. */
extern bool labrys_cin_is_apart;

/* Where the program's output goes, which nobody sees. */
std::streambuf *labrys_unseen();

#endif
