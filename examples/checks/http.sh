#!/bin/sh
# Checks that an HTTP endpoint responds with a status below 400.
# Usage: http.sh URL WARNING_SECONDS
set -u
export LC_ALL=C

if [ $# -ne 2 ]; then
  echo "HTTP UNKNOWN - usage: http.sh URL WARNING_SECONDS"
  exit 3
fi
url=$1
limit=10

# One line: the status (000 without a response) and the response time in seconds (- if the tool does not report it).
if command -v curl >/dev/null 2>&1; then
  answer=$(curl -q -s -o /dev/null -m "$limit" -w '%{http_code} %{time_total}' "$url")
elif command -v wget >/dev/null 2>&1; then
  answer=$(wget -S -O /dev/null -t 1 -T "$limit" "$url" 2>&1 | awk '$1 ~ /^HTTP\// { status = $2 } END { print status ? status : "000", "-" }')
else
  echo "HTTP UNKNOWN - neither curl nor wget is installed, one of them is needed to ask $url"
  exit 3
fi

echo "$answer" | awk -v url="$url" -v warning="$2" -v limit="$limit" '
  $1 == 0 { print "HTTP CRITICAL - " url " does not respond (waited up to " limit " s)"; exit 2 }
  $1 >= 400 { print "HTTP CRITICAL - " url " answers " $1; exit 2 }
  $2 == "-" { print "HTTP OK - " url " answers " $1; exit 0 }
  $2 >= warning { printf "HTTP WARNING - %s answers %s after %.3f s (warning at %s s)\n", url, $1, $2, warning; exit 1 }
  { printf "HTTP OK - %s answers %s after %.3f s (warning at %s s)\n", url, $1, $2, warning }
'
