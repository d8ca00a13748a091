/* GSL's weighted statistics. Its accumulators are long double; with NARROW they are double, as the artifact of the paper made them (Guo,
   Rubio-Gonzalez, ICSE 2020), and the functions have other names. */
#include <config.h>
#include <math.h>
#include <stddef.h>

#define BASE double
#ifdef NARROW
#define long
#define FUNCTION(of, name) narrow_##of##_##name
#define NAMED(name) name
#else
#define FUNCTION(of, name) of##_##name
#define NAMED(name) name##_stock
#endif

#include "wmean_source.c"
double FUNCTION(gsl_stats, wvariance_m)(const double w[], const size_t, const double data[], const size_t, const size_t, const double);
double FUNCTION(gsl_stats, wsd_m)(const double w[], const size_t, const double data[], const size_t, const size_t, const double);
double FUNCTION(gsl_stats, wtss_m)(const double w[], const size_t, const double data[], const size_t, const size_t, const double);
double FUNCTION(gsl_stats, wabsdev_m)(const double w[], const size_t, const double data[], const size_t, const size_t, const double);
double FUNCTION(gsl_stats, wskew_m_sd)(const double w[], const size_t, const double data[], const size_t, const size_t, const double, const double);
double FUNCTION(gsl_stats, wkurtosis_m_sd)(const double w[], const size_t, const double data[], const size_t, const size_t, const double, const double);
#include "wvariance_source.c"
#include "wabsdev_source.c"
#include "wskew_source.c"
#include "wkurtosis_source.c"

#define OF_DATA(name) \
    double NAMED(name)(const double *w, const double *x, int n) { return FUNCTION(gsl_stats, name)(w, 1, x, 1, n); }
#define OF_MEAN(name, as) \
    double NAMED(as)(const double *w, const double *x, int n, double mean) { return FUNCTION(gsl_stats, name)(w, 1, x, 1, n, mean); }
#define OF_DEVIATION(name, as) \
    double NAMED(as)(const double *w, const double *x, int n, double mean, double sd) \
    { return FUNCTION(gsl_stats, name)(w, 1, x, 1, n, mean, sd); }

OF_DATA(wmean)
OF_DATA(wvariance)
OF_MEAN(wvariance_m, wvariance_m)
OF_DATA(wsd)
OF_MEAN(wsd_m, wsd_m)
OF_MEAN(wvariance_with_fixed_mean, wvariance_w)
OF_MEAN(wsd_with_fixed_mean, wsd_w)
OF_DATA(wtss)
OF_MEAN(wtss_m, wtss_m)
OF_DATA(wabsdev)
OF_MEAN(wabsdev_m, wabsdev_m)
OF_DATA(wskew)
OF_DEVIATION(wskew_m_sd, wskew_m)
OF_DATA(wkurtosis)
OF_DEVIATION(wkurtosis_m_sd, wkurtosis_m)
