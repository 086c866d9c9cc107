# The commands in `scripts` source this file. It installs the packages and builds the programs before one of them runs.
# If everything is up to date, it only costs two `find` calls over the sources. All messages go to stderr.
#
# The caller must set `root`, the absolute path of the clone.

node=$root/node_modules/node/bin/node
lock=$root/build/prepare.lock

say() {
  printf 'mon: %s\n' "$1" >&2
}

fail() {
  say "$1"
  exit 1
}

packages_are_current() {
  # npm writes this file last, so it is missing after an interrupted installation.
  [ -f "$root/node_modules/.package-lock.json" ] &&
    [ -x "$node" ] &&
    [ -z "$(find "$root/package-lock.json" -newer "$root/node_modules/.package-lock.json")" ]
}

# `find` also compares folders, because the time of a folder changes when a file in it is deleted.
programs_are_current() {
  [ -f "$root/dist/.built" ] &&
    [ -z "$(find "$root/shared" "$root/daemon" "$root/tui" "$root/scripts/build.ts" "$root/package.json" \
      "$root/tsconfig.json" "$root/node_modules/.package-lock.json" -newer "$root/dist/.built")" ]
}

# Runs a command and shows its full output only if it fails.
run_or_show() {
  log=$root/build/prepare.log
  "$@" >"$log" 2>&1 </dev/null || {
    cat "$log" >&2
    return 1
  }
}

require_tools() {
  command -v node >/dev/null 2>&1 ||
    fail 'Node.js is not installed. Install version 20 or newer (https://nodejs.org), then run this again.'
  version=$(node -p 'process.versions.node')
  [ "${version%%.*}" -ge 20 ] ||
    fail "Node.js $version is too old for the installation. Install version 20 or newer (https://nodejs.org), then run this again."
  command -v npm >/dev/null 2>&1 ||
    fail 'npm is not installed. It comes with Node.js (https://nodejs.org); on Debian it is the package npm.'
}

install_packages() {
  require_tools
  say 'installing packages...'
  # `npm install` is used because `npm ci` fails if the registry lacks an optional package for another platform, and
  # deletes files that running programs use. --no-save installs the versions of the lockfile too, and changes neither
  # package.json nor the lockfile. --loglevel hides warnings about the Node.js version of the machine: the packages
  # include the version that they need.
  (cd "$root" && run_or_show npm install --no-save --include=dev --no-audit --no-fund --loglevel=error) ||
    fail 'installing the packages failed, see above. Check the network and the registry (npm config get registry), then run this again.'
  [ -x "$node" ] ||
    fail 'npm installed the packages without running their install scripts. Allow them (npm config set ignore-scripts false), remove node_modules, then run this again.'
  # npm does not update the time of this file if it changed nothing.
  touch "$root/node_modules/.package-lock.json"
}

build_programs() {
  say 'building...'
  # The stamp file is created before the build, so that files which are edited during the build count as newer.
  mkdir -p "$root/dist"
  : >"$root/build/built"
  (cd "$root" && run_or_show "$node" scripts/build.ts) || fail 'the build failed, see above.'
  mv "$root/build/built" "$root/dist/.built"
}

# The lock is a symbolic link whose target is the process id of its holder, because `ln` creates both atomically.
take_lock() {
  mkdir -p "$root/build"
  waiting=
  until ln -s "$$" "$lock" 2>/dev/null; do
    if ! holder=$(readlink "$lock"); then
      # Either the holder has just released the lock, or this user cannot create it.
      [ -w "$root/build" ] || fail "cannot write to $root/build. Run this once as the owner of the clone, to build it."
      sleep 0.1
    elif kill -0 "$holder" 2>/dev/null; then
      [ -n "$waiting" ] || say "waiting for process $holder, which prepares this clone (if it does not, remove $lock)..."
      waiting=yes
      sleep 0.2
    else
      break_lock "$holder"
    fi
  done
  trap 'rm -f "$lock"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# Removes the lock of a dead process. Several waiting processes may find the same dead holder, so `mkdir` lets only one
# of them continue. That process removes the lock only if it still belongs to the dead holder.
break_lock() {
  mkdir "$lock.$1" 2>/dev/null || return 0
  [ "$(readlink "$lock")" != "$1" ] || rm -f "$lock"
  rmdir "$lock.$1"
}

release_lock() {
  rm -f "$lock"
  trap - EXIT HUP INT TERM
}

prepare_packages() {
  packages_are_current && return
  take_lock
  packages_are_current || install_packages
  release_lock
}

# Installs the packages and builds the programs if they are missing or older than their sources. Waits for other
# processes that do the same.
prepare_programs() {
  prepare_packages
  programs_are_current && return
  take_lock
  programs_are_current || build_programs
  release_lock
}

# Usage: run_program NAME ARGUMENT... Prepares the clone, and replaces this process by the program.
run_program() {
  program=$root/dist/$1.js
  shift
  prepare_programs
  # The first line of a program contains the Node.js flags that it needs: `#!/usr/bin/env -S node --flag ...`.
  first_line=
  read -r first_line <"$program" || :
  case $first_line in
    '#!'*' node '*) flags=${first_line#* node } ;;
    *) flags= ;;
  esac
  # $flags is not quoted, so that the shell splits it into words.
  exec "$node" $flags "$program" "$@"
}
