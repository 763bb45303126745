// The page's data, what a person is at, and the drawing of it.
import { inChinese } from "../common/words.ts";

export let data;
export function load(content) {
  data = content;
}
export const state = { annotator: "", at: 0, show: false, said: "", keeps: false };
let drawn = () => {};
export function onDraw(work) {
  drawn = work;
}
export const draw = () => drawn();

export const taskOf = (name) =>
  data.tasks.find((x) => x.name === name) ?? { name, zh: name, en: name, kind: "text", metrics: [] };
export const taskName = (task) => (inChinese() ? task.zh : task.en);
