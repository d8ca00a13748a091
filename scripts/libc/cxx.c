/* What C++ front ends call of their runtime: the guards of local static variables, of one thread, as the Itanium C++ ABI has them (3.3.3), and the
   count before the elements of an array that AddressSanitizer would guard. */

int __cxa_guard_acquire(long long *guard) {
    return *(char *)guard == 0;
}

void __cxa_guard_release(long long *guard) {
    *(char *)guard = 1;
}

void __cxa_guard_abort(long long *guard) {
    (void)guard;
}

unsigned long __asan_load_cxx_array_cookie(unsigned long *count) {
    return *count;
}
