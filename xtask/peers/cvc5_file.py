"""Answers an SMT-LIB file with cvc5: one line sat, unsat or unknown per check, by its own parser.

Arguments: the file, a time limit per check in seconds, a memory limit in MiB.
"""

import resource
import sys

import cvc5

memory = int(sys.argv[3]) << 20
resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

manager = cvc5.TermManager()
solver = cvc5.Solver(manager)
solver.setOption("fp-exp", "true")
solver.setOption("tlimit-per", str(int(float(sys.argv[2]) * 1000)))
parser = cvc5.InputParser(solver)
parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.argv[1])
symbols = parser.getSymbolManager()
while True:
    command = parser.nextCommand()
    if command.isNull():
        break
    print(command.invoke(solver, symbols), end="", flush=True)
