"""Answers an SMT-LIB file with z3: one line sat, unsat or unknown per check, by its own parser.

Arguments: the file, a time limit per check in seconds, a memory limit in MiB.
"""

import resource
import sys

import z3

memory = int(sys.argv[3]) << 20
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

z3.set_param("timeout", int(float(sys.argv[2]) * 1000))
with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
print(z3.Z3_eval_smtlib2_string(z3.main_ctx().ref(), text), flush=True)
