// Runs every program of a batch on random inputs and prints, of each, whether something went wrong: a check that failed, or what the compiler's
// checks trapped on.
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state;
static sigjmp_buf excluded, failed;
static uint64_t reached;

static uint64_t random_bits(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

static uint64_t integer(void) {
  switch (random_bits() % 4) {
    case 0: return random_bits() % 24;
    case 1: return -(random_bits() % 24);
    case 2: return random_bits();
    default: return (random_bits() % 3) << (random_bits() % 64);
  }
}

static double number(void) {
  static const double special[] = {0, -0.0, 1, 5, 20, 100, 1e300, -1e300, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, 5e-324};
  double x;
  uint64_t bits = random_bits();
  switch (random_bits() % 4) {
    case 0: return (double)(bits % 21);
    case 1: return (double)(bits % 2000) / 100;
    case 2: memcpy(&x, &bits, 8); return x;
    default: return special[bits % 12];
  }
}

void assume(int condition) {
  if (!condition) siglongjmp(excluded, 1);
}
void check(int holds) {
  if (!holds) siglongjmp(failed, 1);
}
void reach(int mark) { reached |= (uint64_t)1 << mark; }
static void trapped(int signal) {
  (void)signal;
  siglongjmp(failed, 1);
}
int any_int(void) { return (int)integer(); }
unsigned any_unsigned(void) { return (unsigned)integer(); }
long any_long(void) { return (long)integer(); }
float any_float(void) { return (float)number(); }
double any_double(void) { return number(); }

extern void (*const programs[])(void);
extern const int program_count;
void reset(void);

int main(void) {
  int signals[] = {SIGILL, SIGFPE, SIGSEGV, SIGBUS};
  for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], trapped);
  for (volatile int program = 0; program < program_count; program++) {
    volatile int failures = 0, runs = 0;
    reached = 0;
    for (volatile int run = 0; run < 2000; run++) {
      state = 0x9e3779b97f4a7c15u * (uint64_t)(run + 1) + (uint64_t)program;
      random_bits();
      reset();
      if (sigsetjmp(excluded, 1)) continue;
      if (sigsetjmp(failed, 1)) {
        failures++;
        continue;
      }
      programs[program]();
      runs++;
    }
    printf("%d %d %llu\n", failures, runs, (unsigned long long)reached);
  }
  return 0;
}
