/* What a program asks to be done at its end. The executor calls labrys_exits behind main, and behind exit. */

#include <stdlib.h>
#include "labrys.h"

struct request {
    struct request *next;
    void (*plain)(void);
    void (*with_argument)(void *);
    void (*with_status)(int, void *);
    void *argument;
};

static struct request *requests;

/* The last request is done first, and what is asked for meanwhile before the others. */
void labrys_exits(void) {
    while (requests) {
        struct request *request = requests;
        requests = request->next;
        if (request->plain) request->plain();
        else if (request->with_argument) request->with_argument(request->argument);
        else request->with_status((int)labrys_any(32), request->argument);
    }
}

/* A linker then takes labrys_exits for a program that asks for anything. */
void (*labrys_at_end)(void);

static struct request *ask(void) {
    struct request *request = (struct request *)calloc(1, sizeof *request);
    request->next = requests;
    requests = request;
    labrys_at_end = labrys_exits;
    return request;
}

int atexit(void (*function)(void)) {
    ask()->plain = function;
    return 0;
}

int __cxa_atexit(void (*function)(void *), void *argument, void *object) {
    struct request *request = ask();
    request->with_argument = function;
    request->argument = argument;
    return 0;
}

int __cxa_thread_atexit(void (*function)(void *), void *argument, void *object) {
    return __cxa_atexit(function, argument, object);
}

int on_exit(void (*function)(int, void *), void *argument) {
    struct request *request = ask();
    request->with_status = function;
    request->argument = argument;
    return 0;
}
