#!/bin/sh
# Checks the load average per core over five minutes: processes that run or wait to run.
# Usage: load.sh WARNING_PER_CORE CRITICAL_PER_CORE
set -u
export LC_ALL=C

if [ $# -ne 2 ]; then
  echo "LOAD UNKNOWN - usage: load.sh WARNING_PER_CORE CRITICAL_PER_CORE"
  exit 3
fi

cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
if [ -r /proc/loadavg ]; then
  averages=$(cat /proc/loadavg)
elif averages=$(sysctl -n vm.loadavg 2>/dev/null); then
  # macOS prints "{ 1.52 1.73 1.80 }".
  averages=${averages#"{ "}
else
  echo "LOAD UNKNOWN - this system has neither /proc/loadavg nor vm.loadavg"
  exit 3
fi

echo "$averages" | awk -v cores="$cores" -v warning="$1" -v critical="$2" '
  {
    perCore = $2 / cores
    state = 0; word = "OK"
    if (perCore >= warning) { state = 1; word = "WARNING" }
    if (perCore >= critical) { state = 2; word = "CRITICAL" }
    printf "LOAD %s - %.2f per core over 5 minutes: %.2f on %d cores, 1 minute %.2f, 15 minutes %.2f (warning at %s, critical at %s per core)\n",
      word, perCore, $2, cores, $1, $3, warning, critical
    exit state
  }
'
