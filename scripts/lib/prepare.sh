# Sourced by the commands of this folder: brings the clone up to date before one of its programs runs.
# With nothing to do it costs two `find` calls over the sources; everything it says goes to stderr.
#
# Expects `root`, the absolute path of the clone.

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
  # npm writes this file last, so an interrupted installation has none.
  [ -f "$root/node_modules/.package-lock.json" ] &&
    [ -x "$node" ] &&
    [ -z "$(find "$root/package-lock.json" -newer "$root/node_modules/.package-lock.json")" ]
}

# Folders count too: their time changes when a file in them is deleted.
programs_are_current() {
  [ -f "$root/dist/.built" ] &&
    [ -z "$(find "$root/shared" "$root/daemon" "$root/tui" "$root/scripts/build.ts" "$root/package.json" \
      "$root/tsconfig.json" "$root/node_modules/.package-lock.json" -newer "$root/dist/.built")" ]
}

# Runs a command quietly: its output is shown, whole, only when it fails.
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
  # Not `npm ci`: it gives up when the registry lacks an optional package for some other platform, and it would take the
  # files away from programs that are running. --no-save keeps to the versions of the lockfile as well and writes neither
  # file. The Node version that the packages ask for is among the packages, hence no warnings about the machine's own.
  (cd "$root" && run_or_show npm install --no-save --include=dev --no-audit --no-fund --loglevel=error) ||
    fail 'installing the packages failed, see above. Check the network and the registry (npm config get registry), then run this again.'
  [ -x "$node" ] ||
    fail 'npm installed the packages without running their install scripts. Allow them (npm config set ignore-scripts false), remove node_modules, then run this again.'
  # npm leaves it as it is when nothing had to change.
  touch "$root/node_modules/.package-lock.json"
}

build_programs() {
  say 'building...'
  # Stamped before the build: what is edited while it runs counts as newer.
  mkdir -p "$root/dist"
  : >"$root/build/built"
  (cd "$root" && run_or_show "$node" scripts/build.ts) || fail 'the build failed, see above.'
  mv "$root/build/built" "$root/dist/.built"
}

# The lock is a symbolic link to the holder's process id: made in one step, with its content.
take_lock() {
  mkdir -p "$root/build"
  waiting=
  until ln -s "$$" "$lock" 2>/dev/null; do
    if ! holder=$(readlink "$lock"); then
      # Either it was released in this moment, or it cannot be made here.
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

# Of all that find the same dead holder, one may remove its lock, and only while it is still that holder's.
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

# Installs and builds whatever is missing or older than what it is made from; others who do the same are waited for.
prepare_programs() {
  prepare_packages
  programs_are_current && return
  take_lock
  programs_are_current || build_programs
  release_lock
}

# run_program NAME ARGUMENT...
run_program() {
  program=$root/dist/$1.js
  shift
  prepare_programs
  # `#!/usr/bin/env -S node --flag ...`: a program names the flags that it wants in its first line.
  first_line=
  read -r first_line <"$program" || :
  case $first_line in
    '#!'*' node '*) flags=${first_line#* node } ;;
    *) flags= ;;
  esac
  # Unquoted, because they are words.
  exec "$node" $flags "$program" "$@"
}
