// What tells models apart, the same in every chart: a colour, a marker and a dash each, and buttons that name them.
// ---------------------------------------------------------------- looks
// [dash, marker, hollow], and one of six colours in turn: with its colour no two of the markers are alike.
const LOOKS = [["", "circle"], ["7 3", "square"], ["2 3", "triangle"], ["9 3 2 3", "diamond"], ["5 2 1 2 1 2", "square", true], ["4 5", "triangle", true], ["6 3", "circle", true],
  ["", "diamond", true], ["7 3", "circle"], ["2 3", "square"], ["9 3 2 3", "triangle"], ["4 5", "diamond"], ["5 2 1 2 1 2", "square"], ["", "triangle"], ["6 3", "diamond"], ["2 3", "circle"],
  ["4 5", "circle", true], ["7 3", "circle"], ["", "triangle", true], ["9 3 2 3", "circle", true], ["6 3", "square", true], ["5 2 1 2 1 2", "triangle"], ["7 3", "diamond", true], ["", "square"]];
const COLOURS = 6;
/** The look of a model, by its place among all; those of a sweep's adapters come last. */
function lookOf(id) {
  if (lookOf.models !== models) {
    const all = [...models.values()].sort((a, b) => a.adapter - b.adapter);
    Object.assign(lookOf, { models, looks: new Map(all.map((m, i) => [m.id, i % LOOKS.length])) });
  }
  return lookOf.looks.get(id) ?? 0;
}
const colourOf = (look) => `c${look % COLOURS}`;
function glyph(look, x, y, r = 4.5) {
  const [, kind, hollow] = LOOKS[look], cls = "mark" + (hollow ? " hollow" : "");
  if (kind === "circle") return s("circle", { class: cls, cx: x, cy: y, r });
  const corners = { square: [[-1, -1], [1, -1], [1, 1], [-1, 1]], triangle: [[0, -1.25], [1.15, 0.9], [-1.15, 0.9]], diamond: [[0, -1.35], [1.2, 0], [0, 1.35], [-1.2, 0]] }[kind];
  return s("polygon", { class: cls, points: corners.map(([a, b]) => `${(x + 0.9 * r * a).toFixed(1)},${(y + 0.9 * r * b).toFixed(1)}`).join(" ") });
}

// ---------------------------------------------------------------- which models stand out
/** The models picked of these; none: all stand as they are. */
const pickedOf = (ids) => state.picked.filter((id) => ids.includes(id));
/** The legend of charts of these models: a press makes a model stand out, another ends it. */
function modelKeys(ids) {
  const flip = (id) => update({ picked: state.picked.includes(id) ? state.picked.filter((x) => x !== id) : [...state.picked, id] });
  const sample = (id) => s("svg", { class: `plot ${colourOf(lookOf(id))}`, width: 14, height: 14, "aria-hidden": "true" }, glyph(lookOf(id), 7, 7, 4.5));
  return h("div", { class: "modelkeys", role: "group", "aria-label": t("pickModels") }, h("span", { class: "muted" }, t("pickModels")),
    ids.map((id) => kept(`key-${id}`, h("span", null, h("button", { type: "button", class: "small", "aria-pressed": state.picked.includes(id), onclick: () => flip(id), title: plain(models.get(id).label) }, sample(id), visible(shortened(models.get(id).label, 150)))))),
    pickedOf(ids).length > 0 && button(t("pickNone"), () => update({ picked: [] }), { class: "small link" }));
}

// ---------------------------------------------------------------- words in charts
const wide = (text) => [...text].reduce((sum, c) => sum + (c > "\u2e80" ? 11.5 : 6.4), 0);
/** A name that fits into so many pixels, its middle left out: beginnings and ends tell models apart. */
function shortened(text, room) {
  const all = [...plain(text)];
  for (let keep = all.length; keep > 4; keep--) {
    const tried = keep === all.length ? all.join("") : `${all.slice(0, Math.ceil(keep * 0.6)).join("")}…${all.slice(all.length - Math.floor(keep * 0.4)).join("")}`;
    if (wide(tried) <= room) return tried;
  }
  return all.slice(0, 3).join("") + "…";
}
/** Places for labels that want to stand at `wanted`: `gap` apart, within top and bottom, and each as near as that allows. */
function apart(wanted, gap, top, bottom) {
  const order = wanted.map((y, i) => i).sort((a, b) => wanted[a] - wanted[b]), blocks = [];
  order.forEach((i, n) => {  // less n gaps: what is in order then is apart; neighbours out of order take their mean
    blocks.push([wanted[i] - n * gap, 1]);
    while (blocks.length > 1 && blocks.at(-2)[0] > blocks.at(-1)[0]) {
      const [y, k] = blocks.pop(), [z, m] = blocks.pop();
      blocks.push([(y * k + z * m) / (k + m), k + m]);
    }
  });
  const flat = blocks.flatMap(([y, k]) => Array(k).fill(y)), last = bottom - (order.length - 1) * gap, placed = [];
  order.forEach((i, n) => { placed[i] = Math.max(top, Math.min(last, flat[n])) + n * gap; });
  return placed;
}
