/* fenv.h's functions of whole environments, by those of flags and rounding modes that the executor answers itself. What an environment holds beside these
   two is not written. */

#include <fenv.h>
#include "labrys.h"

enum { ROUNDING = 0xc00 };

int fegetenv(fenv_t *to) {
    fexcept_t flags;
    fegetexceptflag(&flags, FE_ALL_EXCEPT);
    int rounding = fegetround();
    to->__control_word = (unsigned short)(0x37f | rounding);
    to->__status_word = flags;
    to->__mxcsr = 0x1f80u | (unsigned)rounding << 3 | flags;
    return 0;
}

int fesetenv(const fenv_t *from) {
    if (from == FE_NOMASK_ENV) labrys_unmodelled("exceptions that trap");
    fexcept_t flags = 0;
    int rounding = FE_TONEAREST;
    if (from != FE_DFL_ENV) {
        flags = from->__status_word & FE_ALL_EXCEPT;
        rounding = from->__control_word & ROUNDING;
        unsigned expected = 0x1f80u | (unsigned)rounding << 3 | flags;
        if (from->__mxcsr != expected) labrys_unmodelled("an environment that a program has changed");
    }
    fesetround(rounding);
    fesetexceptflag(&flags, FE_ALL_EXCEPT);
    return 0;
}

int feholdexcept(fenv_t *to) {
    fegetenv(to);
    feclearexcept(FE_ALL_EXCEPT);
    return 0;
}

int feupdateenv(const fenv_t *from) {
    int raised = fetestexcept(FE_ALL_EXCEPT);
    fesetenv(from);
    feraiseexcept(raised);
    return 0;
}
