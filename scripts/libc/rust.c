/* How Rust's programs start: std::rt::lang_start_internal calls the closure that calls main. Part of labrys. */

#include <stddef.h>

/* A table of virtual functions: what drops the object, its size and alignment, then those of FnOnce, FnMut and Fn. */
struct closure_table {
    void (*drop)(void *);
    size_t size, alignment;
    int (*call_once)(void *), (*call_mut)(void *), (*call)(void *);
};

/* The standard library's own, which takes them from where the dynamic linker would call it. */
void labrys_rust_arguments(int argc, char **argv, char **environment);

long labrys_rust_start(void *closure, const struct closure_table *table, long argc, char **argv, unsigned char sigpipe) {
    char *environment[] = {NULL};
    labrys_rust_arguments(argc, argv, environment);
    return table->call(closure);
}
