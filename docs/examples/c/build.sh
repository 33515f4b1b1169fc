#!/bin/sh
# Builds confidential.wasm, the core module of the rule; needs clang and wasm-ld (Debian: apt-get install clang lld).
#   ./build.sh [FOLDER]     where the module goes; here by default
set -eu
here=$(cd "$(dirname "$0")" && pwd)
${CC:-clang} --target=wasm32-unknown-unknown -std=c11 -Oz -ffreestanding -nostdlib -Wall -Wextra -Werror \
  -Wl,--no-entry -Wl,--strip-debug -Wl,--stack-first -Wl,-z,stack-size=65536 \
  "$here/confidential.c" "$here/bouncer.c" -o "${1:-$here}/confidential.wasm"
