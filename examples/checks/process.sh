#!/bin/sh
# Checks that a process runs whose command line contains TEXT.
# Usage: process.sh TEXT
set -u
export LC_ALL=C

if [ $# -ne 1 ] || [ -z "$1" ]; then
  echo "PROCESS UNKNOWN - usage: process.sh TEXT"
  exit 3
fi

# Prints the command line of each process, one per line.
list() {
  if command -v ps >/dev/null 2>&1; then
    ps -A -ww -o args=
  elif [ -r /proc/self/cmdline ]; then
    for file in /proc/[0-9]*/cmdline; do
      tr '\0' ' ' <"$file" && echo
    done 2>/dev/null
  else
    return 1
  fi
}

if ! processes=$(list); then
  echo "PROCESS UNKNOWN - this system has neither ps nor /proc"
  exit 3
fi

# The command lines of this check and of the shells that started it also contain TEXT, so they are not counted.
# awk gets TEXT through the environment, which ps does not show.
count=$(echo "$processes" | TEXT=$1 awk 'index($0, ENVIRON["TEXT"]) && !index($0, "process.sh") { n++ } END { print n + 0 }')
if [ "$count" -eq 0 ]; then
  echo "PROCESS CRITICAL - no process with \"$1\" in its command line (at least 1 must run)"
  exit 2
fi
echo "PROCESS OK - $count running with \"$1\" in the command line (at least 1 must run)"
