#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Check who includes whom in the tree at $1 (or this one).  Prints each include that breaks the order; exits 1 if any does.
#
#   lib/X            "lib/Y/..." with Y not after X in `layers`, <peal/...>, the system; symbols.py checks the same of the names
#                    that the built layers use; algorithms/ comes last, so that nothing in lib/ knows an algorithm; lib/browser/X belongs to lib/X
#   include/peal     <peal/...>, the system
#   mpi              files of mpi, <peal/...>, the system: the library of MPI's interface is one of its own
#   algorithms       files of algorithms/, <peal/...>, the system; what algorithms are written with: lib/collective's blocks.h and
#                    closed.h; catalog.c registers them
#   tools            files of tools/peal, <peal/...>, the headers of lib/ that lib/meson.build lists as private, the system
#   lib/marking      is included by tools/peal/grade only, since a build without peal grade lacks it
#   texts.def        lib/machine/rules.c only: a reworded text compiles one file
#   threads, RCU     lib/machine only (and whoever tests or measures: tests, bench); a thread of lib/cluster's, one of lib/child's;
#                    mpi/process/client.c, for forks of the process that it is in
#   fork             lib/child/child.c only, and three that report no run
#   MPI              lib/cluster/wire_mpi.c only (and who measures), programs that explain shows
set -u
layers='base network cost round machine score report child program cluster collective record labels plan sandbox memory check marking proof synthesis study algorithms'
cd "${1:-$(dirname "$0")/..}" || exit 2
private=$(sed -n '/^private_headers/,/)/p' lib/meson.build | grep -o "'[^']*'" | tr -d "'")

declare -A place=() # of a layer in the order
for layer in $layers; do place[$layer]=${#place[@]}; done

allowed() { # file, what it includes with its quotes or brackets
  local file=$1 what=$2 name=${2:1:-1} folder=${1%/*}
  case $what in
    '<pthread.h>') # they end in time; the last starts none: it is in a program's process, and asks to be called where that forks
      [[ $file == lib/machine/* || $file == lib/cluster/engine.c || $file == lib/child/watchdog.c || $file == mpi/process/client.c ]]; return ;;
    '<threads.h>' | '<semaphore.h>' | '<urcu'* | '"urcu'*) [[ $file == lib/machine/* ]]; return ;;
    '<mpi.h>') [[ $file == lib/cluster/wire_mpi*.[ch] || $file == tools/peal/kinds/* ]]; return ;;
    '"lib/machine/texts.def"') [[ $file == lib/machine/rules.c ]]; return ;; # or a reworded text compiles the tree again
    '<peal/'*) return 0 ;;
    '<lib/'* | '<algorithms/'* | '<tools/'* | '<tests/'* | '<'*..*) return 1 ;;
    '<'*) return 0 ;;
  esac
  case $file in
    include/peal/mpi/mpi.h) [[ $name == calls.def ]] ;;
    mpi/*) [[ $name == mpi/* && $name != *..* ]] ;;
    lib/*) local own=${file#lib/}; own=${own#browser/}; local other=${name#lib/}
      local mine=${place[${own%%/*}]:--1} theirs=${place[${other%%/*}]:-99}
      [[ $name == lib/*/* && $name != *..* && $theirs -le $mine ]] ;;
    algorithms/catalog.c) [[ $name == catalog.h || $name == catalog.def || $name == lib/collective/catalog.h ]] ;;
    algorithms/*)
      [[ $name == lib/collective/blocks.h || $name == lib/collective/closed.h ]] && return
      if [[ $name == ../* ]]; then folder=${folder%/*} name=${name#../}; fi
      [[ $folder == algorithms* && $name != *..* && -e $folder/$name ]] ;;
    tools/*)
      [[ $name == lib/marking/* && $file != tools/peal/grade/* ]] && return 1
      [[ $name == lib/* && $'\n'$private$'\n' == *$'\n'${name#lib/}$'\n'* ]] && return
      [[ $name != *..* && ( -e $folder/$name || -e tools/peal/$name || $file:$name == tools/peal/help/@(completion.c:calls|search.c:search).inc ) ]] ;; # the build's
    *) return 1 ;;
  esac
}

broken=0 seen=0
while IFS=: read -r file line text; do
  seen=$((seen + 1))
  [[ $text =~ (<[^>]*>|\"[^\"]*\") ]] && what=${BASH_REMATCH[1]}
  allowed "$file" "$what" || { echo "$file:$line: may not include $what"; broken=1; }
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' --include='*.[ch]' include lib algorithms mpi tools)
while IFS=: read -r file line text; do
  case $file in
    lib/child/child.c) ;;     # whatever reports a run
    mpi/process/spawner.c) ;;   # starts nodes that are processes, and is a small process itself
    lib/sandbox/sandbox.c) ;; # tries what the sandbox forbids, and is ended by it
    lib/sandbox/unit.c) ;;    # a compiler's limits are its process's, and its files outlive it
    lib/synthesis/solver.c) ;; # becomes another program, with limits of its own
    *) echo "$file:$line: may not fork: peal_child_start does"; broken=1 ;;
  esac
done < <(grep -rnE '\<v?fork[[:space:]]*\([[:space:]]*\)' --include='*.[ch]' lib algorithms mpi tools | grep -v '^tools/peal/kinds/')
[ "$seen" -gt 0 ] || { echo "no include was found: is this the tree?"; exit 2; }
exit $broken
