# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Install what is missing of the distribution's packages.  Sourced by quickstart, test and bench.
#
# A need is PACKAGE:PROBE.  It is met when the probe is there: a command, a file (/...), or a library that pkg-config
# knows (....pc), wherever it came from.

build_needs='gcc:cc binutils:ld libc6-dev:/usr/include/stdio.h meson:meson ninja-build:ninja pkg-config:pkg-config
             libpopt-dev:popt.pc libjansson-dev:jansson.pc libinih-dev:inih.pc libseccomp-dev:libseccomp.pc liburcu-dev:liburcu-memb.pc libdw-dev:libdw.pc scdoc:scdoc
             libboost-context-dev:/usr/lib/'$(uname -m)-linux-gnu/libboost_context.so'
             node-d3:/usr/share/nodejs/d3-scale/dist/d3-scale.min.js'
mpi_needs='openmpi-bin:mpirun.openmpi libopenmpi-dev:/usr/lib/'$(uname -m)-linux-gnu/openmpi/include/mpi.h
test_needs='g++:c++ clang:clang clang-tidy:clang-tidy clang-format-14:clang-format-14 libcriterion-dev:criterion.pc python3:python3 man-db:man zsh:zsh
            fish:fish gnuplot-nox:gnuplot nodejs:node npm:npm chromium:chromium'
test_needs+=" $mpi_needs"
bench_needs="$mpi_needs "'mpich:mpiexec.mpich libmpich-dev:/usr/include/'$(uname -m)-linux-gnu/mpich/mpi.h'
             libsimgrid-dev:smpicc'

# Print the packages of the needs that are not met.
missing() {
  local need probe
  for need; do
    probe=${need#*:}
    case $probe in
      *.pc) pkg-config --exists "${probe%.pc}" ;;
      /*) [ -e "$probe" ] ;;
      *) command -v "$probe" ;;
    esac >/dev/null 2>&1 || echo "${need%%:*}"
  done
}

# Run a command as root; fails at once where that would take a password that nobody can type.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif [ -t 0 ]; then sudo "$@"
  else sudo -n "$@"
  fi
}

# Run a command quietly: its output is shown, on standard error, only when it fails.
quietly() {
  local log status=0
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null || status=$?
  [ "$status" -eq 0 ] || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

# Meet the needs given, or say in one line what is missing and return 4.
meet() {
  local packages
  packages=$(missing "$@" | sort -u | paste -sd ' ')
  [ -n "$packages" ] || return 0
  if ! command -v apt-get >/dev/null || { [ "$(id -u)" -ne 0 ] && ! as_root true 2>/dev/null; }; then
    echo "peal: missing, and not root to install them: $packages" >&2
    return 4
  fi
  echo "peal: installing $packages" >&2
  quietly as_root apt-get -q update || true # an old list may do; the next line says if not
  # shellcheck disable=SC2086 # one word a package
  quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends $packages && return
  echo "peal: apt-get could not install: $packages" >&2
  return 4
}

# Configure build directory $1 of the tree $2, unless it is, with the further arguments for meson.  One of ours that came
# along when the tree was copied or moved is made anew, since it would build the old tree.
configure() {
  local build=$1 top=$2 info=$1/meson-info/meson-info.json
  shift 2
  if [[ $build == "$top"/build* && -e $info ]] && ! grep -qF "\"source\": \"$top\"" "$info"; then
    rm -rf "$build"
  fi
  [ -e "$build/build.ninja" ] || quietly meson setup "$build" "$top" "$@"
}
