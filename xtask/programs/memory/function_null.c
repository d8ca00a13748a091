// expect: holds
// Calls a handler that was registered for only two of three events.
#include <klee/klee.h>
#include <stddef.h>

static int ignore(int event) { return event < 0; }

int main(void) {
    int (*handlers[3])(int) = {ignore, ignore, NULL};
    int event;
    klee_make_symbolic(&event, sizeof event, "event");
    if (event < 0 || event > 2) return 0;
    if (!handlers[event]) return 0;
    return handlers[event](event);
}
