/* The driver loops. */

/* A call with a filling, and the one that finds its arguments: one piece of code, so that both load them alike. */
static __attribute__((noinline)) void call_aside(void *target, const byte *in, byte *out) { labrys_call(target, in, out, 0); }

/* What is to be called instead of the target so that it finds the job's filling. */
static void *with_filling(const struct labrys_job *job) {
#ifdef LABRYS_X86_64
    static byte marked[INPUT_STRIDE], ignored[OUTPUT_STRIDE];
    void *probe = (void *)labrys_probe;
    /* Not known to the compiler, which could make a copy of the call for it. */
    __asm__ volatile("" : "+r"(probe));
    labrys_mark(marked);
    call_aside(probe, marked, ignored);
    for (int i = 0; i < 8; i++) labrys_lanes[i] = job->filling;
    for (int n = 0; n < 8; n++)
        for (int i = 0; i < 16; i++) labrys_rest[n][i] = ((const byte *)labrys_lanes)[i] & ~labrys_arguments[n][i];
    labrys_target = job->target;
    return (void *)labrys_fill;
#else
    /* Lanes keep what they hold; only memory is filled. */
    return job->target;
#endif
}

static inline __attribute__((always_inline)) void call_record(
    const struct labrys_job *job, void *target, uint64_t i, const byte *in, byte *head) {
    *job->progress = i;
    if (__builtin_expect(job->filling != 0, 0)) {
        fill_stack(job->filling);
        call_aside(target, in, head + OUTPUT_HEADER);
    } else {
        labrys_call(target, in, head + OUTPUT_HEADER, 0);
    }
}

/* Every call starts with this state. */
static inline void restore_state(const struct labrys_job *job) {
    write_mxcsr(job->mxcsr);
    reset_x87(job->x87);
}

/* Whether some call panicked since this was asked last. */
static inline int take_panic(const struct labrys_job *job) {
    if (__builtin_expect(!job->panicked || !*job->panicked, 1)) return 0;
    *job->panicked = 0;
    return 1;
}

/* Blocks of calls whose statuses are recorded beside their outputs, to be looked at behind each block: looking at once costs as
   much as reading. The first record of a block in which something watched was raised, or something changed, all of which have
   to be run again; the records' end, if there is none. */
static uint64_t drive_recorded(const struct labrys_job *job, void *target) {
    const uint64_t quiet = job->mxcsr | (uint64_t)job->x87 << 48;
    const uint64_t noticed = job->watched | ~63u | (uint64_t)(job->watched | X87_BROKEN) << 32 | 0xffffull << 48;
    volatile uint64_t *const progress = job->progress;
    const byte *in = job->inputs + job->first * INPUT_STRIDE;
    byte *head = job->outputs + job->first * OUTPUT_STRIDE;
    uint64_t first = job->first;
    for (; job->count - first >= BLOCK; first += BLOCK) {
        for (uint64_t i = 0; i < BLOCK; i++, in += INPUT_STRIDE, head += OUTPUT_STRIDE) {
            *progress = first + i;
            labrys_call(target, in, head + OUTPUT_HEADER, 0);
            record_status(head);
        }
        uint64_t different = 0;
        for (uint64_t i = BLOCK; i > 0; i--) different |= status_at(head - i * OUTPUT_STRIDE) ^ quiet;
        if (take_panic(job) || (different & noticed)) break;
    }
    return first;
}

/* Calls to be timed: the loop that anybody would write around them. What they raise stays raised. */
static void drive_timed(const struct labrys_job *job) {
    const byte *in = job->inputs + job->first * INPUT_STRIDE;
    byte *head = job->outputs + job->first * OUTPUT_STRIDE;
    for (uint64_t i = job->first; i < job->count; i++, in += INPUT_STRIDE, head += OUTPUT_STRIDE) {
        *job->progress = i;
        for (int n = 0; n < TIMED_CALLS; n++) labrys_call(job->target, in, head + OUTPUT_HEADER, 1);
    }
    *job->progress = job->count;
}

void labrys_drive(struct labrys_job *shared) {
    const struct labrys_job local = *shared, *const job = &local;
    if (job->is_timed) {
        restore_state(job);
        drive_timed(job);
        return;
    }
    void *const target = job->filling ? with_filling(job) : job->target;
    uint64_t first = job->first, block = job->x87_block;
    restore_state(job);
    if (job->is_recorded) {
        first = drive_recorded(job, target);
        restore_state(job);
    }
    const byte *in = job->inputs + first * INPUT_STRIDE;
    byte *head = job->outputs + first * OUTPUT_STRIDE;
    /* The x87 status has what the calls from here on raised. */
    uint64_t unread = first;
    for (uint64_t i = first; i < job->count; i++, in += INPUT_STRIDE, head += OUTPUT_STRIDE) {
        call_record(job, target, i, in, head);
        uint32_t mxcsr = read_mxcsr();
        uint32_t status = mxcsr & 63;
        int restore = (status & job->watched) != 0 || (mxcsr & ~63u) != (job->mxcsr & ~63u);
        const uint32_t panicked = take_panic(job) ? PANICKED : 0;
        if (block) {
            restore |= read_x87_control() != job->x87;
            if (restore || i - unread + 1 >= block || i + 1 == job->count) {
                uint32_t x87 = read_x87_status();
                if (block > 1 && (x87 & (job->watched | X87_BROKEN)) != 0) {
                    /* One of several calls: they are made again, one by one, and so are all others. */
                    block = 1;
                    in -= (i - unread + 1) * INPUT_STRIDE;
                    head -= (i - unread + 1) * OUTPUT_STRIDE;
                    i = unread - 1;
                    restore_state(job);
                    continue;
                }
                status |= x87 & 63;
                restore |= (x87 & (job->watched | X87_LEFT)) != 0;
                unread = i + 1;
            }
        }
        if (__builtin_expect(restore, 0)) restore_state(job);
        status |= panicked;
        memcpy(head, &status, 4);
    }
    *job->progress = job->count;
}
