// Runs every program of a batch on random inputs and prints, of each loop and variable, the least and the greatest value that was seen there, and how
// often a NaN. Built beside what the generator makes.
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LINES = 8192, VARIABLES = 128 };
static struct seen {
  long double low, high;
  unsigned count, nans;
} seen_at[LINES][VARIABLES];

void seen(int line, int variable, long double value) {
  struct seen *of = &seen_at[line][variable];
  if (value != value) {
    of->nans++;
    return;
  }
  if (!of->count || value < of->low) of->low = value;
  if (!of->count || value > of->high) of->high = value;
  of->count++;
}

static uint64_t state;
static jmp_buf excluded;

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
  if (!condition) longjmp(excluded, 1);
}
int any_int(void) { return (int)integer(); }
unsigned any_unsigned(void) { return (unsigned)integer(); }
long any_long(void) { return (long)integer(); }
unsigned long any_unsigned_long(void) { return integer(); }
short any_short(void) { return (short)integer(); }
unsigned char any_unsigned_char(void) { return (unsigned char)integer(); }
float any_float(void) { return (float)number(); }
double any_double(void) { return number(); }

extern void (*const programs[])(void);
extern const int program_count;
void reset(void);

int main(void) {
  for (volatile int program = 0; program < program_count; program++)
    for (volatile int run = 0; run < 2000; run++) {
      state = 0x9e3779b97f4a7c15u * (uint64_t)(run + 1) + (uint64_t)program;
      random_bits();
      reset();
      if (!setjmp(excluded)) programs[program]();
    }
  for (int line = 0; line < LINES; line++)
    for (int variable = 0; variable < VARIABLES; variable++) {
      struct seen *of = &seen_at[line][variable];
      if (of->count || of->nans) printf("%d %d %u %u %.21Lg %.21Lg\n", line, variable, of->count, of->nans, of->low, of->high);
    }
  return 0;
}
