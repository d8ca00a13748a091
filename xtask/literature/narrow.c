/* statistics.c with accumulators of double. */
#define NARROW
#include "statistics.c"
