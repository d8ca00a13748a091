/* Included before each of musl's sources: functions of streams get names of their own, for a program's streams are not musl's, and aliases are of
   the names that functions then have. */

#include "features.h"

#define vfprintf labrys_vfprintf
#define vsnprintf labrys_vsnprintf
#define snprintf labrys_snprintf
#define fwrite labrys_fwrite
#define strtof labrys_strtof
#define strtod labrys_strtod
#define strtold labrys_strtold
#define fwrite_unlocked labrys_fwrite_unlocked

#undef weak_alias
#define weak_alias(old, new) labrys_alias(old, new)
#define labrys_alias(old, new) extern __typeof(old) new __attribute__((__weak__, __alias__(#old)))
