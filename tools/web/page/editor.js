// SPDX-License-Identifier: MIT
// The editor of C, of CodeMirror; tools/web/build bundles it.  Tab leaves it, as every field; Ctrl+] and Ctrl+[ move lines.
import {EditorView, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection, hoverTooltip} from '@codemirror/view';
import {EditorState} from '@codemirror/state';
import {defaultKeymap, history, historyKeymap, indentSelection} from '@codemirror/commands';
import {bracketMatching, indentOnInput, indentUnit, syntaxHighlighting, HighlightStyle} from '@codemirror/language';
import {autocompletion, completionKeymap, completeAnyWord} from '@codemirror/autocomplete';
import {lintGutter, lintKeymap, setDiagnostics} from '@codemirror/lint';
import {cpp} from '@codemirror/lang-cpp';
import {tags} from '@lezer/highlight';

const COLOURS = HighlightStyle.define([
  {tag: [tags.comment], color: 'var(--soft)', fontStyle: 'italic'},
  {tag: [tags.keyword, tags.controlKeyword, tags.modifier], color: 'var(--accent)', fontWeight: '600'},
  {tag: [tags.typeName, tags.standard(tags.typeName)], color: 'var(--type)'},
  {tag: [tags.string, tags.character, tags.number, tags.bool, tags.null], color: 'var(--literal)'},
  {tag: [tags.processingInstruction, tags.meta], color: 'var(--literal)'},
]);

// change: called when the editor is left; calls: [{label, detail, info}].
export function makeEditor(text, calls, change) {
  const known = new Map(calls.map(call => [call.label, call]));
  const complete = context => {
    const word = context.matchBefore(/\w+/);
    return word && (word.to - word.from > 1 || context.explicit) ? {from: word.from, options: calls.map(call => ({...call, type: 'function'})), validFor: /^\w*$/} : null;
  };
  const explain = hoverTooltip((view, at) => {
    const {from, to, text: line} = view.state.doc.lineAt(at);
    for (const found of line.matchAll(/\w+/g)) {
      const begin = from + found.index, call = known.get(found[0]);
      if (!call || at < begin || at > begin + found[0].length || at > to) continue;
      return {pos: begin, create: () => {
        const dom = document.createElement('div');
        dom.className = 'call';
        dom.textContent = call.detail + '\n' + call.info;
        return {dom};
      }};
    }
    return null;
  });
  const view = new EditorView({state: EditorState.create({doc: text, extensions: [
    lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(), indentOnInput(), bracketMatching(), indentUnit.of('    '), EditorState.tabSize.of(4),
    cpp(), syntaxHighlighting(COLOURS), lintGutter(), explain, autocompletion({override: [complete, completeAnyWord]}),
    keymap.of([{key: 'Ctrl-Alt-i', run: indentSelection}, ...completionKeymap, ...lintKeymap, ...historyKeymap,
      ...defaultKeymap.filter(({key}) => key !== 'Mod-Enter')]),
    EditorView.contentAttributes.of({id: 'field-source', 'aria-label': 'The program, in C', spellcheck: 'false', autocapitalize: 'off'}),
    EditorView.domEventHandlers({blur: () => change()}),
  ]})});
  view.scrollDOM.tabIndex = 0; // it scrolls: by keys, too
  return {
    dom: view.dom,
    get text() { return view.state.doc.toString(); },
    set text(now) {
      if (now !== view.state.doc.toString()) view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: now}});
    },
    // Show what was found: [{line, column, severity, message}]; a column from 1, or 0 for the whole line.
    show(found) {
      const {doc} = view.state;
      view.dispatch(setDiagnostics(view.state, found.filter(({line}) => line >= 1 && line <= doc.lines).map(({line, column, severity, message}) => {
        const {from, to, text: words} = doc.line(line), begin = column > 0 && column <= words.length ? from + column - 1 : from + /^\s*/.exec(words)[0].length;
        return {from: begin, to: column > 0 ? Math.min(to, begin + (/^\w+/.exec(words.slice(begin - from))?.[0].length || 1)) : to, severity, message};
      })));
    },
    go(line) {
      const {from} = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)));
      view.dispatch({selection: {anchor: from}, effects: EditorView.scrollIntoView(from, {y: 'center'})});
      view.focus();
    },
  };
}
