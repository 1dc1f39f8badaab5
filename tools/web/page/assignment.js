// SPDX-License-Identifier: MIT
// An assignment: every test of its specification, checked; what each gives, and where it is wrong the smallest case.

const isForbidden = (name, patterns) => patterns.some(pattern => new RegExp('^' + pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*') + '$').test(name));
const points = test => `${test.points} point${test.points === '1' ? ' ' : 's'}`;

// Check the tests one after another; `show` gets the text so far.  Gives the text, the exit code and the seconds.
async function checkAssignment(assignment, module, show, goesOn) {
  const lines = [assignment.title, ''], errors = new Set();
  let right = 0, seconds = 0, code = 0;
  for (const test of assignment.tests) {
    let wrong = test.commands.length ? '' : 'this page checks functions: peal grade in a terminal checks this';
    for (const words of test.commands) {
      const result = await module.run(words);
      if (!goesOn()) return null;
      seconds += result.seconds;
      const forbidden = result.calls.filter(name => isForbidden(name, test.forbid) && !isForbidden(name, test.allow));
      if (forbidden.length) wrong = 'it calls ' + forbidden.join(', ') + ', which the assignment forbids';
      else if (result.code === 1) wrong = result.out.split('\n').slice(1).map(line => line.slice(2)).join('\n').trimEnd();
      else if (result.code) wrong = result.errors.trim().split('\n').at(-1).replace(/^peal: /, '');
      if (result.code > 1 && result.errors) result.errors.trimEnd().split('\n').forEach(line => errors.add(line));
      if (wrong) break;
    }
    right += !wrong;
    if (wrong) code = 1;
    lines.push(`${wrong ? '  –  ' : '  ✓  '}${points(test).padStart(8)}  ${test.name}`, ...wrong.split('\n').filter(Boolean).map(line => '                  ' + line));
    show(lines.join('\n'));
  }
  lines.push('', `${right} of ${assignment.tests.length} tests are right. The mark is what your course gives: this page only checks.`);
  return {out: lines.join('\n'), errors: [...errors].join('\n'), code, seconds};
}
