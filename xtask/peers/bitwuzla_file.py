"""Answers an SMT-LIB file with Bitwuzla: one line sat, unsat or unknown per check, by its own parser.

Arguments: the file, a time limit per check in seconds, a memory limit in MiB.
"""

import resource
import sys

import bitwuzla

memory = int(sys.argv[3]) << 20
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

options = bitwuzla.Options()
options.set(bitwuzla.Option.TIME_LIMIT_PER, int(float(sys.argv[2]) * 1000))
parser = bitwuzla.Parser(bitwuzla.TermManager(), options)
parser.parse(sys.argv[1])
