# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034
# Install what is missing of the distribution's packages.  Sourced by quickstart, test and bench.
#
# A need is PACKAGE:PROBE, or PACKAGE:PROBE:OPTION when only a part of Peal needs it, that of the option in meson_options.txt;
# "synthesis", "every" and "c++" are not options, since the solvers and the compiler are needed when they are used.
# It is met when the probe is there: a command, a file (/...), a library that pkg-config knows (....pc) or that the linker finds
# (-l...), wherever it came from.

build_needs='gcc:cc binutils:ld libc6-dev:/usr/include/stdio.h meson:meson ninja-build:ninja pkg-config:pkg-config
             libpopt-dev:popt.pc libjansson-dev:jansson.pc liburcu-dev:liburcu-memb.pc'
optional_needs='scdoc:scdoc:man man-db:man:man libseccomp-dev:libseccomp.pc:seccomp libinih-dev:inih.pc:grade
                libboost-context-dev:-lboost_context:fibers libdw-dev:libdw.pc:lines libexpat1-dev:expat.pc:msccl
                node-d3:/usr/share/nodejs/d3-scale/dist/d3-scale.min.js:report cadical:cadical:synthesis z3:z3:every g++:c++:c++ gfortran:gfortran:fortran'
mpi_needs='openmpi-bin:mpirun.openmpi libopenmpi-dev:/usr/lib/'$(uname -m)-linux-gnu/openmpi/include/mpi.h
test_needs='cmake:cmake clang:clang clang-tidy:clang-tidy clang-format-14:clang-format-14:format make:make procps:ps libcriterion-dev:criterion.pc python3:python3 zsh:zsh
            fish:fish gnuplot-nox:gnuplot nodejs:node librsvg2-bin:rsvg-convert npm:npm chromium:chromium
            python3-pip:/usr/lib/python3/dist-packages/pip python3-nbclient:/usr/lib/python3/dist-packages/nbclient
            python3-ipykernel:/usr/lib/python3/dist-packages/ipykernel
            python3-mpi4py:/usr/lib/python3/dist-packages/mpi4py python3-numpy:/usr/lib/python3/dist-packages/numpy'
test_needs+=" $mpi_needs"
web_needs='firefox-esr:firefox-esr:web' # which not all systems have
bench_needs="$mpi_needs "'mpich:mpiexec.mpich libmpich-dev:/usr/include/'$(uname -m)-linux-gnu/mpich/mpi.h'
             libsimgrid-dev:smpicc cadical:cadical z3:z3'

# Whether a probe is there.
has() {
  case $1 in
    *.pc) pkg-config --exists "${1%.pc}" ;;
    -l*) echo 'int main(void) { return 0; }' | cc -x c - "$1" -o /dev/null ;;
    /*) [ -e "$1" ] ;;
    *) command -v "$1" ;;
  esac >/dev/null 2>&1
}

# Print the needs that are not met.
unmet() {
  local need package probe option
  for need; do
    IFS=: read -r package probe option <<<"$need"
    has "$probe" || echo "$need"
  done
}

# Print the packages of the needs that are not met, in one line.
missing() {
  unmet "$@" | cut -d: -f1 | sort -u | paste -sd ' '
}

# Print optional needs as needs that everything has: tests and measurements want all of Peal.
as_required() {
  local need
  for need; do echo "${need%:*}"; done
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

# Run quietly what takes minutes: meanwhile its last line is shown, on a terminal in place, elsewhere every ten seconds
# ($PEAL_PROGRESS).
watched() {
  local log line last=$SECONDS status
  log=$(mktemp)
  {
    local code=0
    "$@" 2>&1 </dev/null || code=$?
    echo "$code" >"$log.status"
  } | while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    if [ -t 2 ]; then
      printf '\r\033[K%.79s' "$line" >&2
    elif [ $((SECONDS - last)) -ge "${PEAL_PROGRESS:-10}" ]; then
      last=$SECONDS
      printf 'peal: %.100s\n' "$line" >&2
    fi
  done
  status=$(cat "$log.status")
  [ ! -t 2 ] || printf '\r\033[K' >&2
  [ "$status" -eq 0 ] || cat "$log" >&2
  rm -f "$log" "$log.status"
  return "$status"
}

# Install packages, as root, without a question of apt-get, debconf, dpkg or needrestart.
install() {
  echo "peal: installing $*" >&2
  watched as_root apt-get -q update || true # an old list may do; the next line says if not
  watched as_root env DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true APT_LISTCHANGES_FRONTEND=none \
    NEEDRESTART_MODE=a UCF_FORCE_CONFFOLD=1 apt-get -qy -o Dpkg::Options::=--force-confdef \
    -o Dpkg::Options::=--force-confold -o DPkg::Lock::Timeout=120 install --no-install-recommends "$@" && return
  echo "peal: apt-get could not install: $*" >&2
  return 4
}

# Whether packages can be installed; a password is typed only for those that must be there ($1: their names).
can_install() {
  command -v apt-get >/dev/null || return
  [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null || { [ -n "$1" ] && [ -t 0 ] && sudo true 2>/dev/null; }
}

# Meet the needs given, or say in one line what is missing and return 4.  Optional ones need not be met: where they cannot be
# installed, left_out says what that means.
meet() {
  local need required packages wanted=()
  for need; do [[ $need == *:*:* ]] || wanted+=("$need"); done
  required=$(missing "${wanted[@]}")
  packages=$(missing "$@")
  [ -n "$packages" ] || return 0
  if ! can_install "$required"; then
    [ -z "$required" ] && return
    echo "peal: missing, and not root to install them: $required" >&2
    return 4
  fi
  # shellcheck disable=SC2086 # one word a package
  install $packages && return
  [ -z "$required" ] && return # Peal can do without the others
  # shellcheck disable=SC2086
  [ "$required" != "$packages" ] && install $required
}

# Say which parts of Peal are left out since what they need ($2...) is not there, in the words of meson_options.txt of the tree $1.
left_out() {
  local top=$1 need package probe option part
  shift
  for need in $(unmet "$@"); do
    IFS=: read -r package probe option <<<"$need"
    case $option in
      synthesis) part='peal synthesize, with the solver cadical' ;;
      every) part='peal check --every, with the solver z3 and clang' ;;
      c++) part='MPI programs in C++, with a compiler' ;;
      *) part=$(sed -n "s/^option('$option',.* description: '\(.*\)')$/\1/p" "$top/meson_options.txt" | tr -d '\\') ;;
    esac
    echo "peal: left out: $part (package $package)" >&2
  done
}

# Configure build directory $1 of the tree $2, unless it is, with the further arguments for meson.  One of ours that came
# along when the tree was copied or moved is made anew, since it would build the old tree.
configure() {
  local build=$1 top=$2 info=$1/meson-info/meson-info.json
  shift 2
  if [[ $build == "$top"/build* && -e $info ]] && ! grep -qF "\"source\": \"$top\"" "$info"; then
    rm -rf "$build"
  fi
  [ -e "$build/build.ninja" ] || watched meson setup "$build" "$top" "$@"
}
