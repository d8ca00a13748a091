// std::string, which libstdc++'s headers declare as defined elsewhere.

#include <string>

template class std::basic_string<char>;
template std::string std::operator+(const std::string &, const char *);
template std::string std::operator+(const std::string &, char);
template std::string std::operator+(const char *, const std::string &);
template std::string std::operator+(const std::string &, const std::string &);
template class std::allocator<char>;
