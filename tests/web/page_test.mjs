// SPDX-License-Identifier: MIT
// The page in Chromium, or with --firefox its main tests in Firefox: page_test.mjs WEB [--firefox] [NAME], WEB the folder that tools/web/build writes.  The doors, the keyboard, a link, a command that is
// ended, the single file from disk; accessibility by axe.  Exits with 77, which means skipped, and says why, where there is no browser.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import assert from 'node:assert/strict';
import {openBrowser} from './browser.mjs';

const web = path.resolve(process.argv[2]), inFirefox = process.argv[3] === '--firefox', only = process.argv[inFirefox ? 4 : 3] || '';
const main = /^(the page begins|what is chosen|a lesson asks|the command line|a program in C|a link holds|all of it goes|a command that)/;
const {browser, address, asked, axeSource, close} = await openBrowser(web, inFirefox);
let failed = 0, count = 0;

// Open the page and, if it runs something, wait for its first result; errors of its scripts, and requests to others, fail the test.
async function open(url = address, runs = true) {
  const page = await browser.newPage({viewport: {width: 1400, height: 900}});
  page.setDefaultTimeout(inFirefox ? 60000 : 180000); // the compiler has 105 MB, and the machine others to serve
  page.wrong = [];
  page.on('pageerror', error => page.wrong.push(String(error)));
  page.on('request', request => { if (!/^(blob|data|file):/.test(request.url()) && !request.url().startsWith(new URL(address).origin)) page.wrong.push(request.url()); });
  await page.goto(url);
  if (runs) await ended(page);
  return page;
}

const ended = (page, code = '') => page.locator('#status', {hasText: 'exit code ' + code}).waitFor();
const text = page => page.locator('#text').textContent();
const addressOf = page => (inFirefox ? page.locator('html').evaluate(() => location.href) : page.url()); // with what follows the #

// Change something, and wait until its command has ended.
async function after(page, command, act) {
  await act();
  await page.locator('#status', {hasText: command}).waitFor();
}

// Start a command, and wait until it has ended, whatever it says.
async function ran(page, start) {
  const before = await page.getAttribute('#status', 'data-turn');
  await start();
  await page.locator(`#status:not([data-turn="${before}"])`).waitFor();
  await page.locator('#text:not([aria-busy])').waitFor({state: 'attached'});
}

async function test(name, act, url) {
  if (!name.includes(only) || (inFirefox && !main.test(name))) return;
  count++;
  let page;
  try {
    page = await open(url);
    await act(page);
    assert.deepEqual(page.wrong, []);
    console.log('ok       ' + name);
  } catch (error) {
    failed++;
    console.log(`FAILED   ${name}: ${error.stack || error}\n${page ? page.wrong.join('\n') : ''}`);
    if (page) console.log('the page says: ' + await page.locator('#status, #text').allTextContents().then(parts => parts.join('\n'), String));
  }
  if (page) await page.close();
}

// ---------------------------------------------------------------- the doors

await test('the page begins with an algorithm, explained, and the picture of its network', async page => {
  assert.match(await text(page), /^scatter\/binomial on 8 nodes/);
  await page.locator('#picture circle').nth(7).waitFor();
  assert.equal(await page.locator('#picture circle').count(), 8);
  assert.equal(await page.locator('#picture .wire').count(), 12);
});

await test('what is chosen on the left becomes the command', async page => {
  await page.locator('#field-collective option[value="allreduce"]').waitFor({state: 'attached'});
  await after(page, 'peal explain allreduce -t hypercube:3 -m 4', () => page.selectOption('#field-collective', 'allreduce'));
  await after(page, 'peal explain allreduce/swing -t hypercube:3', () => page.selectOption('#field-algorithm', 'swing'));
  await after(page, 'peal explain allreduce/swing -p 8 -t torus -m 4', () => page.selectOption('#field-topology', 'torus'));
  await after(page, '--switching wormhole', () => page.selectOption('#field-switching', 'wormhole'));
  await after(page, '--alpha 7', async () => { await page.fill('#field-alpha', '7'); await page.press('#field-alpha', 'Tab'); });
  assert.match(await text(page), /torus:2x4, routing xy, 1 port, full duplex, wormhole switching/);
  await after(page, 'peal check allreduce/swing -p 8', () => page.click('[data-doing="check"]'));
  assert.match(await text(page), /^allreduce\/swing: proved for P = 8/);
});

await test('a network that cannot be is refused in one line, with its exit code', async page => {
  await page.fill('#field-size', '3x');
  await page.press('#field-size', 'Tab');
  await ended(page, '2');
  assert.match(await text(page), /^peal: /);
});

await test('the views step through the rounds', async page => {
  await page.click('#tabs [data-name="views"]');
  const frame = page.frameLocator('#page iframe');
  await frame.locator('#round', {hasText: 'Round 1 of 3'}).waitFor();
  await frame.locator('#steps button').nth(2).click();
  await frame.locator('#round', {hasText: 'Round 2 of 3'}).waitFor();
});

await test('a lesson asks before it answers', async page => {
  await after(page, 'peal lesson S3', () => page.click('#doors [data-name="lesson"]'));
  assert.match(await text(page), /How long does this take\?$/);
  await page.click('#answer');
  assert.match(await text(page), /Both messages need the links/);
  await after(page, 'peal lesson S4', () => page.click('text=Next'));
  assert.doesNotMatch(await text(page), /Answer/);
});

await test('the command line takes all options, and files stay for the next command', async page => {
  await page.click('#doors [data-name="command"]');
  for (const [line, code, found] of [['peal run gather -p 5 --json=run.json', 0, /gather\/binomial on 5 nodes/], ['price run.json -t line,ring', 0, /ring:5/],
    ["run 'no such'", 2, /no such/], ['peal run other.c', 3, /other.c cannot be read/], ['peal', 2, /expected a command/]]) {
    await page.fill('#words', line);
    await ran(page, () => page.press('#words', 'Enter'));
    await ended(page, String(code));
    assert.match(await text(page), found);
  }
  await page.press('#words', 'ArrowUp');
  await page.press('#words', 'ArrowUp');
  assert.equal(await page.inputValue('#words'), 'peal run other.c');
});

const program = body => `#include <peal/peal.h>\n#include <stdio.h>\nstatic int runs;\nvoid\npeal_main(struct peal_node *me, int argc, char **argv)\n{\n    int64_t x = 0;\n${body}\n}\n`;

// Put this into the editor: by its own keys, since a selection that a script makes reaches it later.
async function write(page, source) {
  await page.press('#field-source', 'Control+A');
  if (!inFirefox) return page.keyboard.insertText(source);
  await page.locator('#field-source').evaluate((field, text) => { // there the keys would be pressed one by one, and lines indented
    field.dispatchEvent(new ClipboardEvent('paste', {dataType: 'text/plain', data: text, bubbles: true, cancelable: true}));
  }, source);
}

// Put this into the editor, run it, and see what it says.
async function enter(page, source, found) {
  await write(page, source);
  await ran(page, () => page.press('#field-source', 'Control+Enter'));
  assert.match(await text(page), found);
}

await test('a compiler that could not be loaded is loaded with the next command', async page => {
  await page.route('**/headers.json', route => route.abort());
  await page.click('#doors [data-name="program"]');
  await page.locator('#text', {hasText: 'the compiler cannot be loaded'}).waitFor();
  await page.unroute('**/headers.json');
  await page.click('[data-doing="run"]');
  await page.locator('#text', {hasText: 'the sum is 36'}).waitFor();
});

await test('an editor that could not be loaded is loaded with the next command', async page => {
  await page.route('**/editor.json', route => route.fulfill({status: 404, body: 'none'}));
  await page.click('#doors [data-name="program"]');
  await page.locator('#text', {hasText: 'peal: the editor cannot be loaded: editor.json'}).waitFor();
  await page.locator('#panel', {hasText: 'The editor cannot be loaded'}).waitFor();
  await ended(page, '4');
  await page.unroute('**/editor.json');
  await page.press('body', 'Control+Enter');
  await page.locator('#text', {hasText: 'the sum is 36'}).waitFor();
  await page.locator('#field-source', {hasText: 'peal_send(me, &sum'}).waitFor();
});

await test('a program in C is compiled and run; what is wrong with it is at its line', async page => {
  await page.click('#doors [data-name="program"]');
  await page.locator('#text', {hasText: 'the sum is 36'}).waitFor();
  await page.click('[data-doing="run"]');
  await enter(page, program('    x = y;'), /mine\.c:8:9: error: use of undeclared identifier 'y'/);
  await ended(page, '3');
  await page.locator('.cm-lintRange-error', {hasText: /^y$/}).waitFor();
  await enter(page, program('    printf("%d of node %d\\n", ++runs, peal_rank(me));'), /1 of node 7/); // globals are the node's own
  assert.equal(await page.locator('.cm-lintRange-error').count(), 0);
  await enter(page, program('    peal_recv(me, &x, 1, (peal_rank(me) + 1) % peal_size(me));'), /deadlock/);
  await ended(page, '1');
  await page.locator('.cm-lintRange-error', {hasText: 'peal_recv'}).waitFor();
  assert.equal(await page.locator('#picture .waits').count(), 8); // the cycle
  await enter(page, '#include <mpi.h>\nint main(int argc, char **argv)\n{\n    int me, size, x = 0;\n    MPI_Init(&argc, &argv);\n    MPI_Comm_rank(MPI_COMM_WORLD, &me);\n    MPI_Comm_size(MPI_COMM_WORLD, &size);\n' +
    '    MPI_Recv(&x, 1, MPI_INT, (me + 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n    MPI_Send(&x, 1, MPI_INT, (me + size - 1) % size, 0, MPI_COMM_WORLD);\n    MPI_Finalize();\n}\n', /deadlock: .*MPI_Recv/);
  await page.locator('.cm-lintRange-error', {hasText: 'MPI_Recv'}).waitFor();
  assert.equal(await page.locator('#picture .waits').count(), 8); // the cycle of one for MPI, too
  await enter(page, program('    peal_recv(me, &x, 1, (peal_rank(me) + 1) % peal_size(me));'), /deadlock/);
  await page.locator('#text button', {hasText: 'mine.c:8'}).first().click();
  assert.match(await page.locator('.cm-activeLine').textContent(), /peal_recv/);
  await enter(page, program('    for (;;)\n        *(char *)malloc(1 << 24) = 1;').replace('#include', '#include <stdlib.h>\n#include'), /malloc has no 16777216 more bytes: the whole machine has 1024 MiB \(mine\.c:10\)/);
  await enter(page, program('    int *p = peal_rank(me) == 3 ? (int *)x : &runs;\n    *p = 1;'), /node 3 crashed: it followed NULL \(a store to 'int'\) \(mine\.c:9\)/);
  await enter(page, program('    int a[4] = {0};\n    for (int i = 0; i < 7; i++)\n        a[i] = runs;\n    runs = a[2];'), /index 4 is outside 'int\[4\]' \(mine\.c:10\)/);
  await enter(page, program('    runs = 7 / peal_rank(me);'), /node 0 crashed: it divided by 0 \(mine\.c:8\)/);
  await enter(page, '#include <peal/peal.h>\nint deep(int n)\n{\n    volatile char a[1000];\n    a[n % 1000] = 1;\n    return n ? deep(n - 1) + a[0] : 0;\n}\nvoid peal_main(struct peal_node *me, int argc, char **argv)\n{\n    deep(999);\n}\n',
    /its stack of 64 KiB overflowed \(mine\.c:\d\)/);
  await write(page, program('    for (volatile int i = 1; i;)\n        ;'));
  await page.press('#field-source', 'Control+Enter');
  await page.locator('#status', {hasText: /running|compiling/}).waitFor();
  await page.click('#stop');
  await ended(page, '130');
  await page.click('#doors [data-name="command"]');
  await page.fill('#words', 'peal run mine.c -p 2 --timeout 1');
  await ran(page, () => page.press('#words', 'Enter'));
  assert.match(await text(page), /node 1 +computes +mine\.c:8/);
  assert.match(await text(page), /after 1 second node 0 is still computing \(mine\.c:8\)/);
});

await test('a function of a collective is checked: its start fits, and a wrong one has a smallest case', async page => {
  await page.click('#doors [data-name="program"]');
  await page.locator('#field-start').waitFor();
  await after(page, 'peal check broadcast --file mine.c --symbol my_broadcast -p 1:8', () => page.selectOption('#field-start', 'broadcast'));
  await page.locator('#text', {hasText: /smallest: P = 2, n = 1/}).waitFor();
  await enter(page, `#include <peal/peal.h>
void my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    for (int i = 0; i < peal_size(me); i++)
        if (peal_rank(me) == root && i != root)
            peal_send(me, a, n, i);
    if (peal_rank(me) != root)
        peal_recv(me, a, n, root);
}
`, /my_broadcast of mine\.c: proved for P = 1\.\.8/);
  await ended(page, '0');
  await enter(page, `#include <peal/peal.h>
#include <stdlib.h>
void my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    char *beyond = malloc(4);
    beyond[4] = 1;
    free(beyond);
    peal_broadcast(me, a, n, root);
}
`, /out-of-bounds: mine\.c:6: node 0 writes byte 4 of the 4 bytes that it allocated with malloc at mine\.c:5/);
  await page.locator('.cm-lintRange-error', {hasText: 'beyond[4]'}).waitFor();
  await enter(page, `#include <peal/peal.h>
static uint64_t counter;
void my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    uint64_t where = (uintptr_t)&counter;
    peal_broadcast(me, &where, 1, root);
    *(uint64_t *)(uintptr_t)where = 1;
    peal_broadcast(me, a, n, root);
}
`, /private-memory: mine\.c:7: node 1 writes node 0's copy of `counter`: a node touches its own memory only/);
  await page.click('[data-doing="run"]');
  await page.locator('#text', {hasText: /broadcast\/mine\.c:my_broadcast on 8 nodes/}).waitFor();
});

await test('an assignment is checked test by test', async page => {
  await page.click('#doors [data-name="assignment"]');
  await ran(page, () => page.click('#check'));
  assert.match(await text(page), /0 of 5 tests are right/);
  assert.match(await text(page), /– +3 points {2}powers of two\n +wrong-result: node 0, word 0 holds x₀; x₁ is missing/);
  const folder = path.join(import.meta.dirname, '../../assignments/tree-reduce');
  await enter(page, fs.readFileSync(path.join(folder, 'wrong/one_by_one.c'), 'utf8'), /4 of 5 tests are right/);
  await enter(page, fs.readFileSync(path.join(folder, 'solution.c'), 'utf8'), /5 of 5 tests are right/);
  await enter(page, fs.readFileSync(path.join(folder, 'solution.c'), 'utf8').replace('int partner', 'peal_barrier(me);\n int partner').replaceAll('peal_barrier(me)', 'peal_reduce(me, op, a, n, root)'), /it calls peal_reduce/);
  const other = await open(await addressOf(page), false);
  await other.locator('#field-source', {hasText: 'peal_reduce(me, op, a, n, root)'}).waitFor();
  await other.close();
});

await test('the picture of the network is seen beside a program, and a door keeps no other door\'s text', async page => {
  await page.setViewportSize({width: 1280, height: 720});
  await page.click('#doors [data-name="program"]');
  await page.locator('#text', {hasText: 'the sum is 36'}).waitFor();
  const {y, height} = await page.locator('#network').boundingBox();
  assert.ok(y + height <= 720, 'the picture ends at ' + (y + height));
  await page.click('#doors [data-name="command"]');
  assert.match(await text(page), /^Enter runs the command above/);
  assert.match(await page.inputValue('#words'), /^peal explain mine\.c/);
  await after(page, 'peal explain mine.c', () => page.press('#words', 'Enter'));
  assert.match(await text(page), /the sum is 36/);
});

await test('a program for MPI is checked: what it does wrong with memory is at its line', async page => {
  await page.click('#doors [data-name="program"]');
  await page.locator('#text', {hasText: 'the sum is 36'}).waitFor();
  await enter(page, fs.readFileSync(path.join(import.meta.dirname, '../../tools/peal/kinds/buffer-reuse-mpi.c'), 'utf8'), /mine\.c/);
  await ran(page, () => page.click('[data-doing="check"]'));
  assert.match(await text(page), /buffer-reuse: mine\.c:13: node 0 writes to memory that MPI_Isend sends from/);
  await page.locator('.cm-lintRange-warning, .cm-lintRange-error').first().waitFor();
});

await test('calls are completed', async page => {
  await page.click('#doors [data-name="program"]');
  await page.locator('#text', {hasText: 'the sum is 36'}).waitFor();
  await page.press('#field-source', 'Control+A');
  await page.locator('#field-source').pressSequentially('peal_allred');
  await page.locator('.cm-tooltip-autocomplete li', {hasText: 'peal_allreduce'}).first().waitFor();
});

// ---------------------------------------------------------------- links, keys, ends

await test('a link holds the whole state', async page => {
  await after(page, 'peal lesson S3', () => page.click('#doors [data-name="lesson"]'));
  await after(page, 'peal lesson S4', () => page.click('text=Next'));
  await page.click('#answer');
  await page.waitForTimeout(300);
  const other = await open(await addressOf(page));
  await other.locator('#status', {hasText: 'peal lesson S4'}).waitFor();
  assert.match(await text(other), /Answer/);
  assert.deepEqual(other.wrong, []);
  await other.close();
});

await test('a link that was cut begins as without one', async page => assert.match(await text(page), /^scatter\/binomial/), address + '#z=q1ZKyc8vUr');

await test('all of it goes by keyboard', async page => {
  await after(page, 'peal lesson S3', () => page.keyboard.press('Alt+3'));
  await page.keyboard.press('Alt+5');
  await page.focus('#words');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('run barrier -p 3');
  await after(page, 'peal run barrier -p 3', () => page.keyboard.press('Control+Enter'));
  await page.keyboard.press('Alt+v');
  await page.frameLocator('#page iframe').locator('#round').waitFor();
  await page.focus('#doors [aria-selected="true"]');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('#doors [aria-selected="true"]').textContent(), 'Algorithm');
  await page.keyboard.press('Alt+f');
  assert.equal(await page.locator('#form').isVisible(), false);
  await page.keyboard.press('Escape');
  await page.locator('#form').waitFor();
});

await test('a command that does not end is ended, and the next one works', async page => {
  await page.click('#doors [data-name="command"]');
  await page.fill('#words', 'check --all -p 1:16');
  await page.press('#words', 'Enter');
  await page.locator('#status', {hasText: 'running'}).waitFor();
  await page.click('#stop');
  await ended(page, '130');
  await page.fill('#words', 'list scatter/bine');
  await page.press('#words', 'Enter');
  await ended(page, '0');
  assert.match(await text(page), /a binomial tree that goes both ways/);
});

await test('axe finds nothing in any door', async page => {
  for (const door of ['algorithm', 'program', 'lesson', 'assignment', 'command']) {
    await page.click(`#doors [data-name="${door}"]`);
    if (door === 'assignment') await page.locator('#check').waitFor();
    else if (door !== 'command') await ended(page);
    const session = await page.context().newCDPSession(page); // the page's own policy lets nothing be evaluated in it
    await session.send('Runtime.evaluate', {expression: axeSource, allowUnsafeEvalBlockedByCSP: true});
    const {result} = await session.send('Runtime.evaluate', {expression: 'axe.run(document, {iframes: false}).then(found => JSON.stringify(found.violations.map(v => [v.id, v.nodes.map(n => n.html)])))',
      awaitPromise: true, allowUnsafeEvalBlockedByCSP: true});
    assert.deepEqual(JSON.parse(result.value), [], door);
  }
});

await test('the licences are shown', async page => {
  await page.click('#about');
  await page.locator('#licences', {hasText: 'popt'}).waitFor({state: 'attached'});
});

await test('one file opens from disk, and asks for nothing', async page => {
  assert.match(await text(page), /^scatter\/binomial on 8 nodes/);
  await page.click('#tabs [data-name="views"]');
  await page.frameLocator('#page iframe').locator('#round', {hasText: 'Round 1 of 3'}).waitFor();
}, pathToFileURL(path.join(web, 'peal.html')).href);

await close();
console.log(`${count - failed} of ${count} passed`);
process.exitCode = failed || count === 0 ? 1 : 0;
