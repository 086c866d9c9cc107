#!/bin/sh
# Checks the memory in use: all memory that is not available to programs now.
# Usage: memory.sh WARNING_PERCENT CRITICAL_PERCENT
set -u
export LC_ALL=C

if [ $# -ne 2 ]; then
  echo "MEMORY UNKNOWN - usage: memory.sh WARNING_PERCENT CRITICAL_PERCENT"
  exit 3
fi

# $numbers: total and available memory in KiB.
if [ -r /proc/meminfo ]; then
  numbers=$(awk '
    $1 == "MemTotal:" { total = $2 }
    $1 == "MemAvailable:" { available = $2 }
    END { print total, available }
  ' /proc/meminfo)
elif command -v vm_stat >/dev/null 2>&1; then
  # On macOS, free, inactive, speculative and purgeable pages are available at once.
  total=$(sysctl -n hw.memsize)
  numbers=$(vm_stat | awk -v total="$total" '
    /page size of/ { for (i = 1; i <= NF; i++) if ($i == "of") page = $(i + 1) }
    /^Pages (free|inactive|speculative|purgeable):/ { pages += $NF }
    END { print total / 1024, pages * page / 1024 }
  ')
else
  echo "MEMORY UNKNOWN - this system has neither /proc/meminfo nor vm_stat"
  exit 3
fi

echo "$numbers" | awk -v warning="$1" -v critical="$2" '
  NF != 2 || $1 <= 0 { print "MEMORY UNKNOWN - the system does not tell its total and available memory"; exit 3 }
  {
    percent = 100 * ($1 - $2) / $1
    state = 0; word = "OK"
    if (percent >= warning) { state = 1; word = "WARNING" }
    if (percent >= critical) { state = 2; word = "CRITICAL" }
    printf "MEMORY %s - %.1f%% in use: %.1f of %.1f GiB (warning at %s%%, critical at %s%%)\n",
      word, percent, ($1 - $2) / 1048576, $1 / 1048576, warning, critical
    exit state
  }
'
