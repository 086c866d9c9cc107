#!/bin/sh
# Runs a program of the folder `scripts` under the Node.js version of the project. First installs the packages if they
# are missing, so that `npm run` works in a new clone, whose Node.js may be too old for TypeScript.
# Usage: run-script.sh FILE ARGUMENT...
set -eu
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
. "$root/scripts/lib/prepare.sh"
prepare_packages
script=$1
shift
exec "$node" "$root/scripts/$script" "$@"
