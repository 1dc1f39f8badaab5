// SPDX-License-Identifier: MIT
// What a command says about the file in the editor: lines with errors and findings, and the cycle of a deadlock.

const PROGRAM = 'mine.c';

// [{line, column, severity, message}], of what the compiler and the command have said.
function findingsIn(text) {
  const found = [], add = (line, column, severity, message) => {
    const words = message.trim();
    if (!found.some(other => other.line === line && other.message === words)) found.push({line, column, severity, message: words});
  };
  for (const line of text.split('\n')) {
    const compiled = /^mine\.c:(\d+):(\d+): (?:fatal )?(error|warning|note): (.*)/.exec(line), told = /^\s*([a-z-]+): mine\.c:(\d+): (.*)/.exec(line);
    if (compiled) {
      if (compiled[3] !== 'note') add(Number(compiled[1]), Number(compiled[2]), compiled[3], compiled[4]);
    } else if (told) add(Number(told[2]), 0, 'error', told[1] + ': ' + told[3]);
    else if (/^peal: |^ {2}[a-z-]+: /.test(line) && !/^ {2}(rerun|fix|smallest|limits|cases):/.test(line)) {
      for (const part of line.replace(/^peal: /, '').split('; ')) {
        for (const at of part.matchAll(/\bmine\.c:(\d+)/g)) add(Number(at[1]), 0, 'error', part.replace(/ *\(mine\.c:\d+\)/g, ''));
      }
    } else for (const at of line.matchAll(/^ +node +\d+ .*\bmine\.c:(\d+)/g)) add(Number(at[1]), 0, 'error', line.trim().replace(/ +/g, ' '));
  }
  return found;
}

// The nodes of a deadlock's cycle, in order; [] where there is none.
function cycleIn(text) {
  const found = /^ +cycle +(\d+(?: → \d+)+)/m.exec(text);
  return found ? found[1].split(' → ').map(Number) : [];
}
