// SPDX-License-Identifier: MIT
// The picture of --svg: the page's script, run by node on the page, draws the picture that the page would save.

// Where the cursor is when no round is asked for: nowhere in pictures of all rounds or algorithms at once.
function roundOfFile(model, view) {
  if (view === spaceTimeView || (view === compareView && !(model.kind === 'sweep' && sweepOf(model).map))) return 'all';
  return view === networkView || view === compareView ? Math.min(1, stepsOf(model).last) : stepsOf(model).last;
}

// The text of an SVG file, as {text}; {wrong} where there is no such picture.  asked: "network:2", or "".
function drawFile(page, asked) {
  const [name, round] = asked.split(':'), pictures = [];
  for (let run = 1, runs = 1; run <= runs; run++) {
    const model = readPage(page, run), steps = stepsOf(model), views = viewsOf(model);
    const view = views.find(each => each.id === (name || firstState(model).view));
    if (!view) return {wrong: 'there is no view ' + name + '; views are ' + views.map(each => each.id).join(', ')};
    if (view.why(model) !== null) return {wrong: view.why(model)};
    if (round !== undefined && !(Number(round) >= steps.first && Number(round) <= steps.last)) {
      return {wrong: steps.noun.toLowerCase() + ' ' + round + ' is out of range: ' + steps.noun.toLowerCase() + 's are ' + steps.first + ' to ' + steps.last};
    }
    runs = model.lessons ? model.runs : 1;
    pictures.push(pictureOf(view, model, Object.assign(firstState(model), {view: view.id, round: round === undefined ? roundOfFile(model, view) : Number(round)})));
  }
  return {text: pictureText(pictures)};
}
