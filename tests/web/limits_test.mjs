// SPDX-License-Identifier: MIT
// Programs that take what is not theirs, in the module alone: limits_test.mjs BUILD.  Memory without end, sizes that no machine has, NULL and
// the machine's own memory given to the C library: each ends with one line, at its line, and the next command works.
import {loadCompiler, loadModule} from './module.mjs';

const run = loadModule(process.argv[2]), compile = await loadCompiler();
const program = statement => ['#include <peal/peal.h>', '#include <stdlib.h>', '#include <string.h>', 'void peal_main(struct peal_node *me, int argc, char **argv)', '{',
  '    char *none = argc > 5 ? *argv : NULL, word[8];', '    if (peal_rank(me) == 1)', '        ' + statement, '    peal_barrier(me);', '    (void)none, (void)word;', '}', ''].join('\n');
const CASES = [
  ['for (;;) memset(malloc(10 << 20), 1, 10);', 'crash: node 1 crashed: malloc has no 10485760 more bytes: the whole machine has 1024 MiB'],
  ['*(char *)malloc((size_t)argc << 31) = 1;', 'crash: node 1 crashed: malloc has no 2147483648 more bytes: the whole machine has 1024 MiB'],
  ['*(char *)calloc(70000, 70000) = 1;', 'crash: node 1 crashed: calloc has no 4900000000 more bytes: the whole machine has 1024 MiB'],
  ['*(char *)peal_alloc(me, (size_t)argc << 28) = 1;', 'bad-size: node 1: cannot allocate 268435456 words of 8 bytes: that is more than an address space'],
  ['for (;;) *(char *)peal_alloc(me, 1 << 20) = 1;', 'out-of-memory: no memory for 1048576 words (8388608 bytes) on node 1'],
  ['memset(none, 1, 100);', 'crash: node 1 crashed: it gave NULL to memset'],
  ['memcpy(word, none, 8);', 'crash: node 1 crashed: it gave NULL to memcpy'],
  ['strcpy((char *)40000, "hello");', 'crash: node 1 crashed: it let strcpy write to memory that is not its own'],
  ['memset((char *)(size_t)(argc * 5000), 0, 100000);', 'crash: node 1 crashed: it let memset write to memory that is not its own'],
  ['none[0] = 1;', /^crash: node 1 crashed: it followed NULL/],
];

if (!compile) {
  console.log('skipped: npm ci in tools/web/npm installs the compiler');
  process.exit();
}
let wrong = 0;
for (const [statement, message] of CASES) {
  const {code, errors} = await run(['run', 'p.c', '-p', '2'], {'p.c': program(statement)}, compile), said = errors.split('\n').find(line => line.startsWith('peal: ')) || errors;
  const place = ' (p.c:8)', told = said.endsWith(place) ? said.slice('peal: '.length, -place.length) : '';
  if (code !== 0 && told && (message.test ? message.test(told) : message === told)) continue;
  console.log(`${statement}\n  exit code ${code}: ${said}`);
  wrong++;
}
const {code} = await run(['run', 'scatter', '-p', '4']);
if (code) console.log('the next command ends with ' + code);
console.log(`${CASES.length - wrong} of ${CASES.length} ended at their lines`);
process.exitCode = wrong || code ? 1 : 0;
