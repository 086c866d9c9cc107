#!/bin/sh
# Checks that a file exists. For practice: delete the file to make the check fail, create it to resolve the event.
# Usage: file.sh PATH
set -u

if [ $# -ne 1 ]; then
  echo "FILE UNKNOWN - usage: file.sh PATH"
  exit 3
fi
if [ -e "$1" ]; then
  echo "FILE OK - $1 exists (to see it fail again: rm $1)"
  exit 0
fi
echo "FILE CRITICAL - $1 does not exist (to resolve this: touch $1)"
exit 2
