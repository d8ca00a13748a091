/* The calendar of time.h, as glibc has it in the locale of C where local time is UTC. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "labrys.h"

#define DAY 86400L

static const char *const days[7] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const months[12] = {"January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December"};

/* Rounded down. */
static long quotient(long a, long b) {
    return a / b - (a % b < 0);
}

static int is_leap(long year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* A day, counted from the first of January 1970, in a calendar whose years begin in March, so that leap days are the last of theirs (Hinnant,
   "chrono-Compatible Low-Level Date Algorithms", civil_from_days; `joined` has days_from_civil). */
static int split(long time, struct tm *tm, const char *zone) {
    long day = quotient(time, DAY), second = time - day * DAY;
    long from_march = day + 719468, era = quotient(from_march, 146097);
    long of_era = from_march - era * 146097;
    long year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    long month = (5 * of_year + 2) / 153;
    long year = era * 400 + year_of_era + (month >= 10);
    if (year - 1900 < INT_MIN || year - 1900 > INT_MAX) {
        errno = EOVERFLOW;
        return 0;
    }
    tm->tm_sec = (int)(second % 60);
    tm->tm_min = (int)(second / 60 % 60);
    tm->tm_hour = (int)(second / 3600);
    tm->tm_mday = (int)(of_year - (153 * month + 2) / 5 + 1);
    tm->tm_mon = (int)(month < 10 ? month + 2 : month - 10);
    tm->tm_year = (int)(year - 1900);
    tm->tm_wday = (int)(day + 4 - quotient(day + 4, 7) * 7);
    tm->tm_yday = (int)(month < 10 ? of_year + 59 + is_leap(year) : of_year - 306);
    tm->tm_isdst = 0;
    tm->tm_gmtoff = 0;
    tm->tm_zone = zone;
    return 1;
}

static time_t joined(struct tm *tm, const char *zone, long shift) {
    long month = quotient(tm->tm_mon, 12), year = tm->tm_year + 1900L + month;
    long from_march = tm->tm_mon - month * 12 - 2;
    if (from_march < 0) from_march += 12, year--;
    long era = quotient(year, 400), of_era = year - era * 400;
    long day = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * from_march + 2) / 5 - 719468;
    long second = (day + tm->tm_mday - 1) * DAY + tm->tm_hour * 3600L + tm->tm_min * 60L + tm->tm_sec - shift;
    struct tm found;
    if (!split((long)labrys_few_long((unsigned long)second), &found, zone)) return -1;
    *tm = found;
    return second;
}

/* As glibc does, all of them share one. */
static struct tm shared;

struct tm *gmtime_r(const time_t *time, struct tm *to) {
    return split((long)labrys_few_long((unsigned long)*time), to, "GMT") ? to : NULL;
}

struct tm *localtime_r(const time_t *time, struct tm *to) {
    return split((long)labrys_few_long((unsigned long)*time), to, "UTC") ? to : NULL;
}

struct tm *gmtime(const time_t *time) {
    return gmtime_r(time, &shared);
}

struct tm *localtime(const time_t *time) {
    return localtime_r(time, &shared);
}

time_t timegm(struct tm *tm) {
    tm->tm_isdst = 0;
    return joined(tm, "GMT", 0);
}

/* Summer time, which UTC has not, is taken for an hour. */
time_t mktime(struct tm *tm) {
    return joined(tm, "UTC", tm->tm_isdst > 0 ? 3600 : 0);
}

time_t timelocal(struct tm *tm) {
    return mktime(tm);
}

/* Where a text goes, and how long it is. */
struct text {
    char *to;
    size_t size, length;
};

static void put(struct text *text, const char *part, size_t length) {
    if (text->length + length < text->size) memcpy(text->to + text->length, part, length);
    text->length += length;
}

static void put_text(struct text *text, const char *part) {
    put(text, part, strlen(part));
}

/* A number of at least so many characters, with zeros or spaces before its digits. */
static void put_number(struct text *text, int digits, char padding, long value) {
    char digit[24], *at = digit + sizeof digit;
    unsigned long rest = value < 0 ? -(unsigned long)value : (unsigned long)value;
    int count = 0, is_negative = value < 0;
    do *--at = (char)('0' + rest % 10), rest /= 10, count++;
    while (rest != 0);
    if (padding == '0') {
        while (count + is_negative < digits) *--at = '0', count++;
        if (is_negative) *--at = '-', count++;
    } else {
        if (is_negative) *--at = '-', count++;
        while (count < digits) *--at = padding, count++;
    }
    put(text, at, (size_t)count);
}

/* The week of ISO 8601, and its year. */
static long iso_week(const struct tm *tm, long *year) {
    *year = tm->tm_year + 1900L;
    long from_monday = (tm->tm_wday + 6) % 7, week = (tm->tm_yday - from_monday + 10) / 7;
    if (week < 1) {
        --*year;
        long last = tm->tm_yday + 365 + is_leap(*year);
        return (last - from_monday + 10) / 7;
    }
    long thursday = tm->tm_yday - from_monday + 3;
    if (thursday >= 365 + is_leap(*year)) {
        ++*year;
        return 1;
    }
    return week;
}

static void put_parts(struct text *text, const char *format, const struct tm *tm);

static void put_part(struct text *text, char conversion, const struct tm *tm) {
    long year = tm->tm_year + 1900L, week_year;
    int hour = tm->tm_hour > 12 ? tm->tm_hour - 12 : tm->tm_hour == 0 ? 12 : tm->tm_hour;
    switch (conversion) {
    case 'a': return put(text, days[tm->tm_wday], 3);
    case 'A': return put_text(text, days[tm->tm_wday]);
    case 'b': case 'h': return put(text, months[tm->tm_mon], 3);
    case 'B': return put_text(text, months[tm->tm_mon]);
    case 'c': return put_parts(text, "%a %b %e %H:%M:%S %Y", tm);
    case 'C': return put_number(text, 1, '0', year / 100);
    case 'd': return put_number(text, 2, '0', tm->tm_mday);
    case 'D': case 'x': return put_parts(text, "%m/%d/%y", tm);
    case 'e': return put_number(text, 2, ' ', tm->tm_mday);
    case 'F': return put_parts(text, "%Y-%m-%d", tm);
    case 'g': iso_week(tm, &week_year); return put_number(text, 2, '0', week_year % 100);
    case 'G': iso_week(tm, &week_year); return put_number(text, 1, '0', week_year);
    case 'H': return put_number(text, 2, '0', tm->tm_hour);
    case 'I': return put_number(text, 2, '0', hour);
    case 'j': return put_number(text, 3, '0', tm->tm_yday + 1);
    case 'k': return put_number(text, 2, ' ', tm->tm_hour);
    case 'l': return put_number(text, 2, ' ', hour);
    case 'm': return put_number(text, 2, '0', tm->tm_mon + 1);
    case 'M': return put_number(text, 2, '0', tm->tm_min);
    case 'n': return put(text, "\n", 1);
    case 'p': return put_text(text, tm->tm_hour > 11 ? "PM" : "AM");
    case 'P': return put_text(text, tm->tm_hour > 11 ? "pm" : "am");
    case 'r': return put_parts(text, "%I:%M:%S %p", tm);
    case 'R': return put_parts(text, "%H:%M", tm);
    case 'S': return put_number(text, 2, '0', tm->tm_sec);
    case 't': return put(text, "\t", 1);
    case 'T': case 'X': return put_parts(text, "%H:%M:%S", tm);
    case 'u': return put_number(text, 1, '0', tm->tm_wday == 0 ? 7 : tm->tm_wday);
    case 'U': return put_number(text, 2, '0', (tm->tm_yday - tm->tm_wday + 7) / 7);
    case 'V': return put_number(text, 2, '0', iso_week(tm, &week_year));
    case 'w': return put_number(text, 1, '0', tm->tm_wday);
    case 'W': return put_number(text, 2, '0', (tm->tm_yday - (tm->tm_wday + 6) % 7 + 7) / 7);
    case 'y': return put_number(text, 2, '0', year % 100);
    case 'Y': return put_number(text, 1, '0', year);
    case '%': return put(text, "%", 1);
    }
    labrys_unmodelled("a conversion of strftime's");
}

static void put_parts(struct text *text, const char *format, const struct tm *tm) {
    for (; *format; format++) {
        if (*format != '%') put(text, format, 1);
        else put_part(text, *++format, tm);
    }
}

/* What glibc writes of numbers that are none of a date is not written out here, but for years that are. */
static int is_date(const struct tm *tm) {
    return tm->tm_sec >= 0 && tm->tm_sec <= 60 && tm->tm_min >= 0 && tm->tm_min < 60 && tm->tm_hour >= 0 && tm->tm_hour < 24 && tm->tm_mday >= 0 &&
        tm->tm_mday <= 31 && tm->tm_mon >= 0 && tm->tm_mon < 12 && tm->tm_wday >= 0 && tm->tm_wday < 7 && tm->tm_yday >= 0 && tm->tm_yday < 366;
}

size_t strftime(char *to, size_t size, const char *format, const struct tm *tm) {
    struct text text = {to, size, 0};
    if (!is_date(tm) || tm->tm_year < -1899) labrys_unmodelled("strftime of what is no date, or of one before the year 1");
    put_parts(&text, format, tm);
    if (text.length >= size) return 0;
    to[text.length] = 0;
    return text.length;
}

char *asctime_r(const struct tm *tm, char *to) {
    if (!is_date(tm) || tm->tm_year < -1899 || tm->tm_year > 8099) labrys_unmodelled("asctime of what is no date of the years 1 to 9999");
    struct text text = {to, 26, 0};
    put_parts(&text, "%a %b", tm);
    put_number(&text, 3, ' ', tm->tm_mday);
    put_parts(&text, " %H:%M:%S ", tm);
    put_number(&text, 1, '0', tm->tm_year + 1900L);
    put(&text, "\n", 1);
    to[text.length] = 0;
    return to;
}

char *asctime(const struct tm *tm) {
    static char shared[114];
    return asctime_r(tm, shared);
}

char *ctime_r(const time_t *time, char *to) {
    struct tm tm;
    return localtime_r(time, &tm) ? asctime_r(&tm, to) : NULL;
}

char *ctime(const time_t *time) {
    struct tm *tm = localtime(time);
    return tm ? asctime(tm) : NULL;
}
