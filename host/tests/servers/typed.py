"""Runs a program at a terminal and types an answer to the first question that ends with [y/N].

typed.py ANSWER PROGRAM ARGUMENTS...: prints what the program printed, and ends with its code.
"""
import os
import pty
import sys

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
said, answered = b"", False
while True:
    try:
        data = os.read(terminal, 4096)
    except OSError:  # The other end is closed: Linux says so with an error.
        break
    if not data:
        break
    said += data
    if not answered and b"[y/N]" in said:
        os.write(terminal, sys.argv[1].encode() + b"\n")
        answered = True
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.stdout.buffer.write(said)
sys.exit(code)
