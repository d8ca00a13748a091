"""Answers every SMT-LIB file of a list with Bitwuzla: a line with the file and its answer.

Arguments: a file that lists the files, a time limit per check in seconds.
"""

import sys

import bitwuzla

with open(sys.argv[1], encoding="utf-8") as names:
    files = names.read().split()
for file in files:
    options = bitwuzla.Options()
    options.set(bitwuzla.Option.TIME_LIMIT_PER, int(float(sys.argv[2]) * 1000))
    parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
    try:
        parser.parse(file, True)
        print(file, str(parser.bitwuzla().check_sat()).split(".")[-1].lower(), flush=True)
    except bitwuzla.BitwuzlaException as error:
        print(file, "error", str(error).replace("\n", " "), flush=True)
