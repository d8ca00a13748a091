"""Answers every SMT-LIB file of a list with z3: a line with the file and its answer.

Arguments: a file that lists the files, a time limit per check in seconds.
"""

import sys

import z3

with open(sys.argv[1], encoding="utf-8") as names:
    files = names.read().split()
for file in files:
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", int(float(sys.argv[2]) * 1000))
    try:
        solver.from_file(file)
        print(file, solver.check(), flush=True)
    except z3.Z3Exception as error:
        print(file, "error", str(error).replace("\n", " "), flush=True)
