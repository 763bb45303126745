// The page's data, what a person is at, and the drawing of it.

export let data;
export function load(content) {
  data = content;
}
export const state = {
  annotator: "",
  at: 0,
  of: -1,
  field: "",
  said: "",
  turn: 0,
  cursor: null,
  returning: false,
  keeps: false,
};
let drawn = () => {};
export function onDraw(work) {
  drawn = work;
}
export const draw = () => drawn();
