/* How Rust's programs start: std::rt::lang_start_internal calls the closure that calls main. Part of labrys. */

#include <stddef.h>

/* A table of virtual functions: what drops the object, its size and alignment, then those of FnOnce, FnMut and Fn. */
struct closure_table {
    void (*drop)(void *);
    size_t size, alignment;
    int (*call_once)(void *), (*call_mut)(void *), (*call)(void *);
};

long labrys_rust_start(void *closure, const struct closure_table *table, long argc, char **argv, unsigned char sigpipe) {
    return table->call(closure);
}
