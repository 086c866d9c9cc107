#!/bin/sh
# Checks the used space of the filesystem that contains PATH.
# Usage: disk.sh WARNING_PERCENT CRITICAL_PERCENT [PATH]
set -u
export LC_ALL=C

if [ $# -lt 2 ]; then
  echo "DISK UNKNOWN - usage: disk.sh WARNING_PERCENT CRITICAL_PERCENT [PATH]"
  exit 3
fi
path=${3:-/}

if ! table=$(df -Pk "$path" 2>&1); then
  echo "DISK UNKNOWN - df $path: $table"
  exit 3
fi

# The total is used + available space, without reserved blocks: this yields the same percentage as df.
echo "$table" | awk -v path="$path" -v warning="$1" -v critical="$2" '
  NR == 2 {
    seen = 1
    used = $3; free = $4
    percent = used + free > 0 ? 100 * used / (used + free) : 0
    state = 0; word = "OK"
    if (percent >= warning) { state = 1; word = "WARNING" }
    if (percent >= critical) { state = 2; word = "CRITICAL" }
    printf "DISK %s - %s is %.1f%% full: %.1f GiB used, %.1f GiB free (warning at %s%%, critical at %s%%)\n",
      word, path, percent, used / 1048576, free / 1048576, warning, critical
    exit state
  }
  END { if (!seen) { print "DISK UNKNOWN - df printed nothing about " path; exit 3 } }
'
