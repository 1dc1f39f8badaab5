#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What tools/quickstart does where packages are missing, for root and for others: quickstart.sh TOP.
# The commands that it calls are replaced here: the files in $work/there are installed, and apt-get puts them there.
set -u
top=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong=0
mkdir "$work/bin"
for tool in bash env dirname cat sort paste cut sed tr mktemp rm grep uname mkdir touch readlink true; do
  ln -s "$(type -P "$tool")" "$work/bin/$tool"
done

stand_in() { cat >"$work/bin/$1" && chmod +x "$work/bin/$1"; }
stand_in id <<<$'#!/usr/bin/env bash\necho "$FAKE_ID"'
stand_in pkg-config <<<$'#!/usr/bin/env bash\n[ -e "$THERE/$2.pc" ]'
stand_in cc <<<$'#!/usr/bin/env bash\nwhile read -r word; do :; done\nfor word; do case $word in -l*) [ -e "$THERE/$word" ] || exit 1 ;; esac; done'
stand_in ld <<<'#!/usr/bin/env bash'
stand_in meson <<<$'#!/usr/bin/env bash\nmkdir -p "$2/tools"; touch "$2/build.ninja"'
stand_in ninja <<'END' # what is called, and in which order, is in $HOME/order
#!/usr/bin/env bash
case $3 in
  -n) [ -z "${ALL_BUILT:-}" ] || echo 'ninja: no work to do.'; exit ;;
  command) [ -z "${REST_BROKEN:-}" ] || { echo 'FAILED: tools/man/peal.1'; exit 1; } ;;
esac
echo "ninja $3" >>"$HOME/order"
printf '#!/usr/bin/env bash\necho "peal $*" >>"$HOME/order"\necho "peal $*"\nexit ${PEAL_STATUS:-0}\n' >"$2/tools/peal"
chmod +x "$2/tools/peal"
END
stand_in chmod <<<"#!/bin/bash
$(type -P chmod) \"\$@\""
stand_in apt-get <<'END'
#!/usr/bin/env bash
echo "${DEBIAN_FRONTEND:-asks} $(readlink /proc/self/fd/0) $*" >>"$LOG"
[[ " $* " == *" install "* ]] || exit 0
for package; do [ "$package" != "${NOT_IN_LIST:-}" ] || { echo "E: Unable to locate package $package"; exit 100; }; done
for package; do
  case $package in
    libpopt-dev) touch "$THERE/popt.pc" ;;
    libdw-dev) touch "$THERE/libdw.pc" ;;
    libboost-context-dev) touch "$THERE/-lboost_context" ;;
    cadical) touch "$THERE/cadical" ;;
  esac
done
END

# Begin anew: all is installed but the packages named.
begin() {
  rm -rf "$work/there" "$work/build" "$work/log" "$work/order" "$work/bin/sudo"
  mkdir "$work/there"
  touch "$work/log" "$work/there/"{popt,jansson,expat,liburcu-memb,libseccomp,inih,libdw}.pc "$work/there/-lboost_context"
  local name
  for name in scdoc man cadical z3 c++ gfortran; do ln -sf /bin/true "$work/bin/$name"; done
  for name; do rm "$work/there/$name"; done
}

# Run quickstart as user $1, with further variables, for ${words[@]}; its status is in $status, its output in $work/out and $work/err.
words=(list)
quickstart() {
  local id=$1
  shift
  rm -f "$work/order"
  env -i PATH="$work/bin" HOME="$work" PEAL_BUILD="$work/build" FAKE_ID="$id" THERE="$work/there" LOG="$work/log" "$@" \
    "$top/tools/quickstart" "${words[@]}" </dev/null >"$work/out" 2>"$work/err"
  status=$?
}

# Check the last run: expect WHAT STATUS.
expect() {
  [ "$status" -eq "$2" ] || { echo "$1: exit $status, expected $2"; sed 's/^/  /' "$work/err"; wrong=$((wrong + 1)); }
  [ "$2" -ne 0 ] || grep -qx 'peal list' "$work/out" || { echo "$1: peal was not run"; wrong=$((wrong + 1)); }
}
says() { grep -qF -- "$2" "$work/err" || { echo "$1: expected: $2"; sed 's/^/  came: /' "$work/err"; wrong=$((wrong + 1)); }; }
silent() { ! grep -qF -- "$2" "$work/err" || { echo "$1: says $2"; wrong=$((wrong + 1)); }; }
logged() { grep -qE -- "$2" "$work/log" || { echo "$1: apt-get was not called as $2"; sed 's/^/  /' "$work/log"; wrong=$((wrong + 1)); }; }
untouched() { [ ! -s "$work/log" ] || { echo "$1: apt-get was called"; wrong=$((wrong + 1)); }; }

begin libdw.pc -lboost_context
rm "$work/bin/scdoc"
quickstart 1000
expect 'without root, optional packages missing' 0
says 'without root' 'peal: left out: man pages, with scdoc (package scdoc)'
says 'without root' 'peal: left out: lines of memory errors in peal check, with libdw (package libdw-dev)'
says 'without root' 'peal: left out: the fibers engine, with Boost.Context (package libboost-context-dev)'
silent 'without root' inih
untouched 'without root'
quickstart 1000
expect 'without root, a second time' 0
silent 'without root, a second time' 'left out'

begin popt.pc libdw.pc
quickstart 1000
expect 'without root, a library missing' 4
says 'without root, a library missing' 'peal: missing, and not root to install them: libpopt-dev'
silent 'without root, a library missing' libdw-dev

begin
rm "$work/bin/cadical"
quickstart 1000
expect 'without root, the solver missing' 0
says 'without root, the solver missing' 'peal: left out: peal synthesize, with the solver cadical (package cadical)'
begin
rm "$work/bin/cadical"
quickstart 0
expect 'root, the solver missing' 0
logged 'root, the solver missing' ' install .*cadical'

begin
rm "$work/bin/c++"
quickstart 1000
expect 'without root, no compiler for C++' 0
says 'without root, no compiler for C++' 'peal: left out: MPI programs in C++, with a compiler (package g++)'

# What is asked for is built and run before the rest is built; one line is about the rest, and the status is peal's.
begin
quickstart 1000 PEAL_STATUS=1
[ "$status" = 1 ] || { echo "a failed run: exit $status, expected 1"; wrong=$((wrong + 1)); }
[ "$(cat "$work/order")" = $'ninja tools/peal\npeal list\nninja command' ] || { echo "the order is"; cat "$work/order"; wrong=$((wrong + 1)); }
[ "$(grep -c . "$work/err")" = 2 ] || { echo "expected two lines, got:"; cat "$work/err"; wrong=$((wrong + 1)); }
says 'a failed run' 'peal: building the rest, for MPI programs and `peal help`'
quickstart 1000 ALL_BUILT=1
expect 'all is built' 0
[ ! -s "$work/err" ] || { echo "all is built, and yet:"; cat "$work/err"; wrong=$((wrong + 1)); }
quickstart 1000 REST_BROKEN=1
expect 'the rest cannot be built' 0
says 'the rest cannot be built' "peal: the rest cannot be built: ninja -C $work/build command"
says 'the rest cannot be built' 'FAILED: tools/man/peal.1'

# needs TARGET WORD...: what it builds first for these words; some are files in $work.
needs() {
  local first
  words=("${@:2}")
  quickstart 1000
  read -r first <"$work/order"
  [ "$first" = "ninja $1" ] || { echo "for '${*:2}' it first does $first, expected ninja $1"; wrong=$((wrong + 1)); }
}
echo '#include <peal/peal.h>' >"$work/hello.c"
echo '#include <mpi.h>' >"$work/ring.c"
printf '\177ELF libpealmpi.so' >"$work/ring"
needs tools/peal run scatter -p 8
needs tools/peal run "$work/hello.c" -p 3
needs tools/peal check --program "$work/hello.c"
needs tools/peal run "$work/nothing.c"
needs command run "$work/ring.c" -p 3
needs command run -p 3 "$work/ring"
needs command check "--program=$work/ring.c"
needs command check scatter --mpi --file "$work/hello.c" --symbol f
needs command run scatter -p 2 --engine mpi
needs command run scatter -p 2 --engine=mpi
needs command help tour
needs command doctor
needs command grade tree-reduce.ini
words=(list)

# What takes long says so.
begin
stand_in ninja <<<$'#!/usr/bin/env bash\n[ "$3" != -n ] || { echo "no work to do"; exit; }\necho "[2/3] Compiling two"
printf \'#!/usr/bin/env bash\\necho "peal $*"\\n\' >"$2/tools/peal"; chmod +x "$2/tools/peal"'
quickstart 1000 PEAL_PROGRESS=0
expect 'a long build' 0
says 'a long build' 'peal: [2/3] Compiling two'
quickstart 1000
silent 'a short build' 'Compiling'

begin popt.pc libdw.pc
quickstart 0
expect 'root' 0
logged 'root' '^noninteractive /dev/null .* install .*libdw-dev.*libpopt-dev'
silent 'root' '(package libdw-dev)' # a file that is looked for by its path, without a substitute, may be left out here
! grep -q '^noninteractive .*install' "$work/log" || ! grep -q 'asks.* install' "$work/log" || { echo "root: a question"; wrong=$((wrong + 1)); }

begin popt.pc libdw.pc
quickstart 0 NOT_IN_LIST=libdw-dev
expect 'an optional package that the distribution has not' 0
says 'an optional package that the distribution has not' 'peal: left out: lines of memory errors in peal check, with libdw (package libdw-dev)'

begin libdw.pc
quickstart 0 NOT_IN_LIST=libdw-dev
expect 'only that missing' 0

begin popt.pc
quickstart 0 NOT_IN_LIST=libpopt-dev
expect 'a library that the distribution has not' 4
says 'a library that the distribution has not' 'peal: apt-get could not install: libpopt-dev'

begin popt.pc
stand_in sudo <<<$'#!/usr/bin/env bash\n[ "$1" != -n ] || shift\nexec "$@"'
quickstart 1000
expect 'sudo without a password' 0
logged 'sudo without a password' '^noninteractive /dev/null .* install .*libpopt-dev'

# the optional parts are those of meson_options.txt, except processes, which need no package, MPI, which is large and installed on demand, and TE-CCL, whose library
# the command needs anyway
options=$(sed -n "s/^option('\([a-z]*\)', type: 'feature'.*/\1/p" "$top/meson_options.txt" | grep -vx -e mpi -e teccl -e processes | sort)
listed=$(. "$top/tools/packages.sh"; for need in $optional_needs; do echo "${need##*:}"; done | grep -vx -e synthesis -e every -e c++ | sort -u)
[ "$options" = "$listed" ] || { echo "meson_options.txt: $options"; echo "packages.sh: $listed"; wrong=$((wrong + 1)); }

# README.md names them all for those who install by hand
packages=$(. "$top/tools/packages.sh"; for need in $build_needs $optional_needs; do echo "${need%%:*}"; done | sort)
named=$(sed -n 's/^    sudo apt-get install //p' "$top/README.md" | tr ' ' '\n' | sort)
[ "$packages" = "$named" ] || { echo "README.md: $named"; echo "packages.sh: $packages"; wrong=$((wrong + 1)); }

echo "$wrong wrong"
[ "$wrong" -eq 0 ]
