#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What tools/release refuses and says before it does anything: release.sh TOP.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git init -q "$work/peal"
mkdir -p "$work/peal/tools/python/peal"
echo '__version__ = "1.3.0"' >"$work/peal/tools/python/peal/__init__.py"
cp "$1/tools/release" "$1/tools/packages.sh" "$work/peal/tools"
printf "project('peal', 'c',\n  version: '1.2.3',\n" >"$work/peal/meson.build"
printf '# Changes\n\n## 1.2.3\n' >"$work/peal/CHANGELOG.md"
git() { command git -C "$work/peal" -c user.name=name -c user.email=mail@peal.invalid "$@"; }
git add -A
git commit -qm one
wrong=0

# refuses WHAT: with exit 1 and one line that has WHAT in it.
refuses() {
  local status=0
  "$work/peal/tools/release" --untested >/dev/null 2>"$work/err" </dev/null || status=$?
  [ "$status" -eq 1 ] && [ "$(wc -l <"$work/err")" -eq 1 ] && grep -qF -- "$1" "$work/err" && return
  echo "exit $status, expected 1 and: $1"
  cat "$work/err"
  wrong=$((wrong + 1))
}

echo >>"$work/peal/meson.build"
refuses 'there are changes that are not committed'
git checkout -q meson.build
sed -i 's/1\.2\.3/1.3.0/' "$work/peal/CHANGELOG.md"
git commit -qam two
refuses 'meson.build has version 1.2.3, the first entry of CHANGELOG.md 1.3.0'
sed -i 's/1\.2\.3/1.3.0/' "$work/peal/meson.build"
git commit -qam three
git tag v1.3.0
refuses 'the tag v1.3.0 is there'
sed -i 's/1\.3\.0/1.2.9/' "$work/peal/tools/python/peal/__init__.py"
git commit -qam four
refuses 'meson.build has version 1.3.0, tools/python/peal/__init__.py 1.2.9: expected the same'
git reset -q --hard HEAD~

# Without emcc the page is left out, and said to be, before anything is built; here it ends since nothing is installed.
command git -C "$work/peal" tag -d v1.3.0 >/dev/null
mkdir "$work/bin"
for tool in bash env dirname sed head git uname cut sort paste id cat mktemp rm; do ln -s "$(type -P "$tool")" "$work/bin/$tool"; done
for emcc in '' emcc; do
  [ -z "$emcc" ] || ln -s /bin/true "$work/bin/emcc"
  PATH=$work/bin "$work/peal/tools/release" --untested >/dev/null 2>"$work/err" </dev/null && status=0 || status=$?
  said=$(grep -cxF 'tools/release: left out: peal.html, the page for browsers (package emscripten)' "$work/err" || true)
  [ "$status" -eq 4 ] && [ "$said" -eq $((${#emcc} == 0)) ] || { echo "${emcc:-without emcc}: exit $status:"; cat "$work/err"; wrong=$((wrong + 1)); }
done
echo "$wrong wrong"
[ "$wrong" -eq 0 ]
