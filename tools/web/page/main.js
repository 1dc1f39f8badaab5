// SPDX-License-Identifier: MIT
// The page: state in, a command, its text and its views out.

const PAGE_FILE = 'peal-page.html', GUARD = new Set(['run', 'explain', 'compare', 'sweep', 'check', 'lesson', 'app']);
const find = id => document.getElementById(id);

// loadEditor: gives makeEditor, and what the editor knows: calls, parameters, assignments; null where there is no compiler.
async function main(startWorker, loadBytes, compiler, loadEditor, licences) {
  const module = makeModule(startWorker, loadBytes, compiler);
  let state = await unpackState(location.hash.replace(/^#z=/, '')), catalogue = [], lessons = [];
  const figure = find('network');
  let shown = 0, framed = '', history = [], place = 0, last = null, pictured = '', network = null;
  let kit = null, editor = null, unloaded = ''; // why the editor could not be loaded

  module.onStage = text => { find('status').textContent = text; };

  licences.then(text => { find('licences').textContent = text; });

  // ------------------------------------------------------------ state

  async function writeLink() {
    const packed = await packState(state);
    window.history.replaceState(null, '', '#z=' + packed);
  }

  function set(change) {
    keepSource();
    const old = state;
    state = {...state, ...change};
    if (editor && (state.door === 'program' || state.door === 'assignment')) editor.text = sourceOf();
    if (state.door !== 'command') state.line = 'peal ' + joinWords(commandOf(state));
    writeLink();
    const focused = document.activeElement && document.activeElement.id, doing = document.activeElement && document.activeElement.dataset.doing;
    show(old);
    const again = doing ? document.querySelector(`[data-doing="${doing}"]`) : focused && focused.startsWith('field-') && find(focused);
    if (again) again.focus();
  }

  function show(old) {
    fillTabs(find('doors'), DOORS, state.door, door => set({door}));
    fillTabs(find('tabs'), [['text', 'Text'], ['views', 'Views']], state.view, view => set({view}));
    const panel = find('panel');
    panel.replaceChildren();
    panel.setAttribute('aria-label', DOORS.find(([door]) => door === state.door)[1]);
    if (state.door === 'algorithm') fillAlgorithm(panel, state, catalogue, figure, set);
    else if (state.door === 'program' || state.door === 'assignment') showEditor(panel);
    else if (state.door === 'lesson') fillLesson(panel, state, lessons, set);
    else fillCommand(panel);
    find('words').value = state.line;
    find('text').hidden = state.view !== 'text';
    find('page').hidden = state.view !== 'views';
    const changed = !old || ['line', 'door', 'source', 'start', 'assignment'].some(key => state[key] !== old[key]);
    if (state.door !== 'command' && state.door !== 'assignment' && changed) runCommand();
    else if (state.door === 'assignment' && (!old || state.door !== old.door || state.assignment !== old.assignment)) {
      ask('Write, and press Check (Ctrl+Enter).\nEach test of the assignment is made, and what is wrong is shown in its smallest case.');
    } else if (old && state.door !== old.door) ask('Enter runs the command above, as a terminal does.');
    else if (old && (state.view !== old.view || state.answered !== old.answered)) showLast();
    document.body.classList.toggle('many-commands', state.door === 'assignment');
    document.body.classList.toggle('wide-panel', state.door === 'program' || state.door === 'assignment');
    if (state.door === 'algorithm' || (state.door === 'program' && compiler.exists)) showNetwork();
  }

  // ------------------------------------------------------------ the editor

  // What the editor shows: the source of the state, or the start.
  function sourceOf() {
    if (state.door === 'assignment') return state.work || kit.assignments[state.assignment].starter;
    return state.source || (state.start === 'program' || !kit.parameters[state.start] ? START : startOf(state.start, kit.parameters[state.start]));
  }

  // It is loaded anew with the next command where it could not be loaded.
  async function loadKit() {
    if (!kit && loadEditor) [kit, unloaded] = await loadEditor().then(loaded => [loaded, ''], error => [null, 'the editor cannot be loaded: ' + error.message]);
    if (kit && !kit.assignments[state.assignment]) state.assignment = Object.keys(kit.assignments)[0];
    return kit;
  }

  async function showEditor(panel) {
    const {door} = state;
    if (loadEditor && !kit) panel.append(makeNode('p', {class: 'wide'}, 'The editor is loaded …'));
    await loadKit();
    if (door !== state.door || !panel.isConnected) return;
    panel.replaceChildren();
    if (!kit) {
      panel.append(makeNode('p', {class: 'wide'}, unloaded ? 'T' + unloaded.slice(1) + '.' : NO_COMPILER));
      return;
    }
    const source = sourceOf();
    editor ??= kit.makeEditor(source, kit.calls, takeSource);
    editor.text = source;
    if (state.door === 'assignment') fillAssignment(panel, state, kit.assignments, editor.dom, set, runCommand);
    else fillProgram(panel, state, kit.parameters, editor.dom, figure, set);
    if (last) editor.show(last.door === state.door ? findingsIn(last.errors + '\n' + last.out) : []);
  }

  // The editor was left, and its text has changed: the panel stays, since a button of it may be about to be pressed.
  function takeSource() {
    if (keepSource() && state.door === 'program') runCommand();
  }

  // Keep what is in the editor; true if that is new.
  function keepSource() {
    if (!editor || (state.door !== 'program' && state.door !== 'assignment') || editor.text === sourceOf()) return false;
    state = {...state, [state.door === 'assignment' ? 'work' : 'source']: editor.text};
    writeLink();
    return true;
  }

  function ask(text) {
    last = null;
    shown++;
    if (module.busy) module.stop();
    module.busy = false;
    find('stop').disabled = true;
    find('text').removeAttribute('aria-busy');
    find('text').replaceChildren(text);
    find('page').replaceChildren(makeNode('p', {}, text));
    framed = '';
    find('status').textContent = '';
    find('status').className = '';
  }

  function fillTabs(box, choices, chosen, change) {
    const had = box.contains(document.activeElement);
    box.replaceChildren(...choices.map(([name, label]) => makeNode('button', {
      type: 'button', role: 'tab', 'aria-selected': String(name === chosen), tabindex: name === chosen ? '0' : '-1', 'data-name': name, onclick: () => change(name)}, label)));
    box.onkeydown = event => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key], at = choices.findIndex(([name]) => name === chosen);
      if (!step) return;
      event.preventDefault();
      change(choices[(at + step + choices.length) % choices.length][0]);
    };
    if (had) box.querySelector('[aria-selected="true"]').focus();
  }

  // ------------------------------------------------------------ commands

  async function runCommand() {
    keepSource();
    const turn = ++shown, {door} = state, words = state.door === 'command' ? splitWords(find('words').value) : commandOf(state);
    if (words[0] === 'peal') words.shift();
    if (module.busy) module.stop();
    module.busy = true;
    find('stop').disabled = false;
    find('status').textContent = 'running …';
    find('status').dataset.turn = turn;
    find('text').setAttribute('aria-busy', 'true');
    if (compiler.exists && (door === 'program' || door === 'assignment')) await loadKit();
    if (turn !== shown) return;
    if (kit && (door === 'program' || door === 'assignment')) {
      if (!editor) await showEditor(find('panel')); // it could not be loaded before
      module.setFile(PROGRAM, sourceOf());
    }
    const guarded = GUARD.has(words[0]) && door !== 'assignment' && !words.some(word => word === '--report' || word.startsWith('--report=') || word === '--help' || word === '-h');
    const at = words.indexOf('--'), split = at < 0 ? words.length : at;
    const asked = guarded ? [...words.slice(0, split), '--report', PAGE_FILE, ...words.slice(split)] : words;
    let result = unloaded && (door === 'program' || door === 'assignment') ? {code: 4, out: '', errors: 'peal: ' + unloaded + '\n', seconds: 0}
      : door === 'assignment' ? await checkAssignment(kit.assignments[state.assignment], module, text => { if (turn === shown) find('text').textContent = text; }, () => turn === shown)
      : await module.run(asked);
    if (guarded && result.code === 2) { // words that do not allow a page: show the command's own message
      result = await module.run(words);
    }
    if (turn !== shown) return;
    module.busy = false;
    find('stop').disabled = true;
    find('text').removeAttribute('aria-busy');
    const page = module.takeFile(PAGE_FILE);
    last = {...result, words, door, page: page ? new TextDecoder().decode(page) : null};
    showLast();
    if (editor && (door === 'program' || door === 'assignment')) editor.show(findingsIn(last.errors + '\n' + last.out));
    if (network) redraw();
  }

  function showLast() {
    if (!last) return;
    const text = find('text'), lines = last.out.trimEnd();
    text.replaceChildren(...linked(lesson(lines)));
    if (last.errors) {
      text.append(lines ? '\n' : '', makeNode('span', {class: 'error'}, ...linked(last.errors.trimEnd())));
    }
    if (state.view === 'views') showPage();
    const status = find('status');
    status.className = last.code ? 'failed' : '';
    status.textContent = `${last.door === 'assignment' ? state.assignment : 'peal ' + joinWords(last.words)}: exit code ${last.code}, ${(last.seconds * 1000).toFixed(0)} ms`;
  }

  // Lines of the file in the editor lead there.
  function linked(text) {
    if (!editor || (last.door !== 'program' && last.door !== 'assignment')) return [text];
    return text.split(/(\bmine\.c:\d+)/).map(part => /^mine\.c:\d+$/.test(part)
      ? makeNode('button', {type: 'button', class: 'place', title: 'To this line', onclick: () => editor.go(Number(part.slice(7)))}, part) : part);
  }

  // A lesson asks before it answers: what follows the question comes with the answer.
  function lesson(lines) {
    if (last.door !== 'lesson' || state.answered) return lines;
    const all = lines.split('\n'), question = all.indexOf('Question');
    if (question < 0) return lines;
    let end = question + 1;
    while (end < all.length && all[end] !== '') end++;
    return all.slice(0, end).join('\n');
  }

  function showPage() {
    const box = find('page'), hidden = last.door === 'lesson' && !state.answered;
    const key = last.page && !hidden ? last.page : '';
    if (key && key === framed) return;
    framed = key;
    box.replaceChildren();
    if (!key) {
      box.append(makeNode('p', {}, hidden ? 'The pictures come with the answer.' : 'This command has no views.'));
      return;
    }
    const url = URL.createObjectURL(new Blob([key], {type: 'text/html'}));
    const frame = makeNode('iframe', {title: 'The views of ' + joinWords(last.words), src: url});
    box.append(frame);
  }

  // ------------------------------------------------------------ the network's picture

  async function showNetwork() {
    const spec = topologyOf(state), words = ['report', 'barrier', ...(state.size.trim() || state.topology.startsWith('dgx') ? [] : ['-p', state.p.trim() || '8']), '-t', spec, '-o', 'peal-network.html'];
    const key = words.join(' ');
    if (key === pictured) return;
    pictured = key;
    const result = await module.run(words, true), made = module.takeFile('peal-network.html');
    if (key !== pictured) return;
    const found = made && /<script type="application\/json" id="peal-page">(.*?)<\/script>/s.exec(new TextDecoder().decode(made));
    if (!found) {
      network = null;
      figure.querySelector('#picture').replaceChildren();
      figure.querySelector('figcaption').textContent = result.errors.trim();
      return;
    }
    network = JSON.parse(found[1]).network;
    redraw();
  }

  // The network, with the cycle of the last command's deadlock.
  function redraw() {
    const cycle = last && last.door === state.door ? cycleIn(last.out + '\n' + last.errors) : [];
    figure.querySelector('figcaption').textContent = drawNetwork(figure.querySelector('#picture'), network, cycle);
  }

  // ------------------------------------------------------------ keys and buttons

  find('form').onsubmit = event => { event.preventDefault(); runCommand(); };
  find('line').onsubmit = event => {
    event.preventDefault();
    const line = find('words').value;
    history = history.filter(entry => entry !== line).concat(line);
    place = history.length;
    if (state.door !== 'command' && line !== state.line) set({door: 'command', line});
    else if (state.door === 'command') set({line});
    runCommand();
  };
  find('words').onkeydown = event => {
    const step = {ArrowUp: -1, ArrowDown: 1}[event.key];
    if (!step || !history.length) return;
    event.preventDefault();
    place = Math.max(0, Math.min(history.length, place + step));
    find('words').value = history[place] ?? '';
  };
  find('stop').onclick = () => module.stop();
  find('about').onclick = () => find('dialog').showModal();
  find('full').onclick = toggleFull;
  find('link').onclick = copyLink;

  async function copyLink() {
    await writeLink();
    try {
      await navigator.clipboard.writeText(location.href);
      find('status').textContent = 'the link is copied: ' + location.href.length + ' characters';
    } catch {
      find('status').textContent = 'the link is in the address bar';
    }
  }

  function toggleFull() {
    const full = document.body.classList.toggle('full');
    find('full').setAttribute('aria-pressed', String(full));
    if (full && document.documentElement.requestFullscreen) document.documentElement.requestFullscreen().catch(() => null);
    else if (document.fullscreenElement) document.exitFullscreen();
    find(state.view === 'text' ? 'text' : 'result').focus();
  }
  document.addEventListener('fullscreenchange', () => {
    if (!document.fullscreenElement && document.body.classList.contains('full')) toggleFull();
  });
  document.addEventListener('keydown', event => {
    if (event.ctrlKey && event.key === 'Enter') setTimeout(runCommand, event.target.id === 'field-source' ? 60 : 0); // the editor takes an input method's text within 50 ms
    else if (event.key === 'Escape' && document.body.classList.contains('full')) toggleFull();
    else if (!event.altKey || event.ctrlKey || event.metaKey) return;
    else if (DOORS[event.code.replace(/^Digit/, '') - 1]) set({door: DOORS[event.code.slice(5) - 1][0]});
    else if (event.code === 'KeyV') set({view: state.view === 'text' ? 'views' : 'text'});
    else if (event.code === 'KeyF') toggleFull();
    else if (event.code === 'KeyL') copyLink();
    else if (event.code === 'KeyS') module.stop();
    else return;
    event.preventDefault();
  });
  window.addEventListener('hashchange', async () => {
    const old = state;
    state = await unpackState(location.hash.replace(/^#z=/, ''));
    if (state.door !== 'command') state.line = 'peal ' + joinWords(commandOf(state));
    show(old);
    if (state.door === 'command') runCommand();
  });

  // ------------------------------------------------------------ the start

  if (state.door !== 'command') state.line = 'peal ' + joinWords(commandOf(state));

  show(null);
  if (state.door === 'command') runCommand();
  const listed = await module.run(['list', '--json'], true), table = await module.run(['lesson'], true);
  catalogue = listed.code === 0 ? JSON.parse(listed.out).algorithms : [];
  lessons = table.out.split('\n').map(line => /^([A-Z0-9]+) +(.*?) {1,}((?:Georgia|PDP|Grama|MPI|Cai).*)$/.exec(line)).filter(Boolean)
    .map(([, id, title, source]) => ({id, title, source}));
  const field = document.activeElement;
  if (field && field.matches('#panel input')) field.dispatchEvent(new Event('change')); // half-typed text stays
  else if (state.door === 'algorithm' || state.door === 'lesson') show(state);
}
