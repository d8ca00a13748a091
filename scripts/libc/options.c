/* getopt and getopt_long as POSIX and GNU describe them, without a reordering of arguments that begin with none: programs are
   given few arguments. */

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "labrys.h"

char *optarg;
int optind = 1, opterr = 1, optopt = '?';

/* The next letter of an argument with several. */
static const char *next;

static int read_letter(int count, char *const arguments[], const char *letters) {
    int letter = (unsigned char)*next++;
    const char *known = letter == ':' || letter == ';' ? NULL : strchr(letters, letter);
    int is_last = *next == 0;
    if (is_last) optind++;
    if (known == NULL) {
        optopt = letter;
        if (is_last) next = NULL;
        return '?';
    }
    if (known[1] != ':') {
        if (is_last) next = NULL;
        return letter;
    }
    optarg = NULL;
    if (!is_last) {
        optarg = (char *)next;
        optind++;
    } else if (known[2] != ':') {
        if (optind >= count) {
            optopt = letter;
            next = NULL;
            return letters[0] == ':' ? ':' : '?';
        }
        optarg = arguments[optind++];
    }
    next = NULL;
    return letter;
}

static int read_word(int count, char *const arguments[], const char *word, const struct option *options, int *place) {
    size_t length = strcspn(word, "=");
    optind++;
    for (int i = 0; options[i].name; i++) {
        if (strncmp(options[i].name, word, length) != 0) continue;
        if (strlen(options[i].name) != length) labrys_unmodelled("an abbreviated option");
        optarg = NULL;
        if (word[length] == '=') {
            if (options[i].has_arg == no_argument) return '?';
            optarg = (char *)word + length + 1;
        } else if (options[i].has_arg == required_argument) {
            if (optind >= count) return '?';
            optarg = arguments[optind++];
        }
        if (place) *place = i;
        if (options[i].flag == NULL) return options[i].val;
        *options[i].flag = options[i].val;
        return 0;
    }
    return '?';
}

int getopt_long(int count, char *const arguments[], const char *letters, const struct option *options, int *place) {
    if (optind == 0) optind = 1;
    if (next) return read_letter(count, arguments, letters);
    optarg = NULL;
    if (optind >= count || arguments[optind] == NULL) return -1;
    const char *word = arguments[optind];
    if (word[0] != '-' || word[1] == 0) {
        for (int i = optind + 1; i < count; i++)
            if (arguments[i][0] == '-' && arguments[i][1] != 0) labrys_unmodelled("options behind other arguments");
        return -1;
    }
    if (word[1] == '-' && word[2] == 0) {
        optind++;
        return -1;
    }
    if (word[1] == '-' && options) return read_word(count, arguments, word + 2, options, place);
    next = word + 1;
    return read_letter(count, arguments, letters);
}

int getopt(int count, char *const arguments[], const char *letters) {
    return getopt_long(count, arguments, letters, NULL, NULL);
}
