#!/usr/bin/env python3
"""Runs two builds of labrys on the examples and compares their reports but for `timing`: for changes that are to change no result.

    scripts/compare-reports.py OLD_LABRYS NEW_LABRYS [EXAMPLE...]

Work is limited and not time, so that the same program reports the same twice. Exit 1 where any report differs.
"""
import json
import pathlib
import subprocess
import sys

WORK = "20000"


def report(program, words):
    run = subprocess.run([program, *words, "--format", "json"], capture_output=True, text=True)
    try:
        made = json.loads(run.stdout)
    except ValueError:
        return run.returncode, run.stderr
    made.pop("timing", None)
    made.get("tool", {}).pop("version", None)
    return run.returncode, made


def difference(old, new, path=""):
    """Where two JSON values differ first."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                return difference(old.get(key), new.get(key), f"{path}.{key}")
    if isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            return f"{path}: {len(old)} and {len(new)} of them"
        for index, (a, b) in enumerate(zip(old, new)):
            if a != b:
                return difference(a, b, f"{path}[{index}]")
    return f"{path}: {str(old)[:200]} and {str(new)[:200]}"


def main():
    old, new, *chosen = sys.argv[1:]
    examples = chosen or sorted(str(path) for path in pathlib.Path("examples").glob("*.c"))
    unequal = 0
    for example in examples:
        for analysis in ["diff", "exceptions", "accuracy"]:
            words = [analysis, example, "--max-work", WORK]
            (code, before), (code_now, after) = report(old, words), report(new, words)
            same = (code, before) == (code_now, after)
            unequal += not same
            said = "equal" if same else f"DIFFERENT (exit {code} and {code_now}) {difference(before, after)}"
            print(f"{analysis} {example}: {said}", flush=True)
    sys.exit(1 if unequal else 0)


main()
