// Types of the language's own as C++ knows them at run time: compilers make the tables of them where this class has its first function.

#include <cxxabi.h>
#include <typeinfo>

namespace std {
type_info::~type_info() {}
}  // namespace std

namespace __cxxabiv1 {
__fundamental_type_info::~__fundamental_type_info() {}
}  // namespace __cxxabiv1
