// The exceptions of C++'s standard library, which libstdc++ defines outside its headers, and what throws them there.

#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <stdexcept>
#include <typeinfo>

// Headers have them inline or only declared; what they declare is defined here. The first virtual function has the tables with it.
namespace std {

exception::~exception() noexcept {}
const char *exception::what() const noexcept { return "std::exception"; }

bad_exception::~bad_exception() noexcept {}
const char *bad_exception::what() const noexcept { return "std::bad_exception"; }

bad_alloc::~bad_alloc() noexcept {}
const char *bad_alloc::what() const noexcept { return "std::bad_alloc"; }

bad_array_new_length::~bad_array_new_length() noexcept {}
const char *bad_array_new_length::what() const noexcept { return "std::bad_array_new_length"; }

bad_cast::~bad_cast() noexcept {}
const char *bad_cast::what() const noexcept { return "std::bad_cast"; }

bad_typeid::~bad_typeid() noexcept {}
const char *bad_typeid::what() const noexcept { return "std::bad_typeid"; }

bad_function_call::~bad_function_call() noexcept {}
const char *bad_function_call::what() const noexcept { return "bad_function_call"; }

// A message is a copy of its own.
static const char *copied(const char *text, size_t length) {
    char *copy = static_cast<char *>(malloc(length + 1));
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

__cow_string::__cow_string() : _M_p(copied("", 0)) {}
__cow_string::__cow_string(const std::string &text) : _M_p(copied(text.data(), text.size())) {}
__cow_string::__cow_string(const char *text, size_t length) : _M_p(copied(text, length)) {}
__cow_string::__cow_string(const __cow_string &other) noexcept : _M_p(copied(other._M_p, strlen(other._M_p))) {}
__cow_string &__cow_string::operator=(const __cow_string &other) noexcept {
    if (this != &other) {
        free(const_cast<char *>(_M_p));
        _M_p = copied(other._M_p, strlen(other._M_p));
    }
    return *this;
}
__cow_string::~__cow_string() { free(const_cast<char *>(_M_p)); }

#define WITH_MESSAGE(name)                                                     \
    name::name(const std::string &text) : _M_msg(text) {}                      \
    name::name(const char *text) : _M_msg(text, strlen(text)) {}               \
    name::name(const name &other) noexcept : exception(other), _M_msg(other._M_msg) {} \
    name &name::operator=(const name &other) noexcept {                        \
        _M_msg = other._M_msg;                                                 \
        return *this;                                                          \
    }                                                                          \
    name::~name() noexcept {}                                                  \
    const char *name::what() const noexcept { return _M_msg._M_p; }

WITH_MESSAGE(logic_error)
WITH_MESSAGE(runtime_error)

#define KIND_OF(name, base)                             \
    name::name(const std::string &text) : base(text) {} \
    name::name(const char *text) : base(text) {}        \
    name::~name() noexcept {}

KIND_OF(domain_error, logic_error)
KIND_OF(invalid_argument, logic_error)
KIND_OF(length_error, logic_error)
KIND_OF(out_of_range, logic_error)
KIND_OF(range_error, runtime_error)
KIND_OF(overflow_error, runtime_error)
KIND_OF(underflow_error, runtime_error)

void __throw_bad_exception() { throw bad_exception(); }
void __throw_bad_alloc() { throw bad_alloc(); }
void __throw_bad_array_new_length() { throw bad_array_new_length(); }
void __throw_bad_cast() { throw bad_cast(); }
void __throw_bad_typeid() { throw bad_typeid(); }
void __throw_bad_function_call() { throw bad_function_call(); }
void __throw_logic_error(const char *text) { throw logic_error(text); }
void __throw_domain_error(const char *text) { throw domain_error(text); }
void __throw_invalid_argument(const char *text) { throw invalid_argument(text); }
void __throw_length_error(const char *text) { throw length_error(text); }
void __throw_out_of_range(const char *text) { throw out_of_range(text); }
void __throw_runtime_error(const char *text) { throw runtime_error(text); }
void __throw_range_error(const char *text) { throw range_error(text); }
void __throw_overflow_error(const char *text) { throw overflow_error(text); }
void __throw_underflow_error(const char *text) { throw underflow_error(text); }

// The numbers in the message are left as they are written.
void __throw_out_of_range_fmt(const char *text, ...) { throw out_of_range(text); }

}  // namespace std

// Memory never runs out.
void *operator new(size_t size, const std::nothrow_t &) noexcept { return operator new(size); }
void *operator new[](size_t size, const std::nothrow_t &) noexcept { return operator new[](size); }
void operator delete(void *memory, const std::nothrow_t &) noexcept { operator delete(memory); }
void operator delete[](void *memory, const std::nothrow_t &) noexcept { operator delete[](memory); }

extern "C" void __cxa_bad_cast() { throw std::bad_cast(); }
extern "C" void __cxa_bad_typeid() { throw std::bad_typeid(); }
extern "C" void __cxa_throw_bad_array_new_length() { throw std::bad_array_new_length(); }
