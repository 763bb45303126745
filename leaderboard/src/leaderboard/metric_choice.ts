// The metrics that cells in view have, and the one that each task is shown by.
import { isChoice, isOfFirstBenchmark, metricRows, taskOf } from "./data.ts";
import { cellsInView, tasksInView } from "./filters.ts";
import { baseName, isPaper } from "./metrics.ts";
import { state } from "./state.ts";
import type { Task } from "./types.ts";

/** The tasks that pass the filters. */
export let tasks: Task[] = [];
/** The metrics of the first benchmark's tasks in view: of choices, and of spans and texts. */
export let choiceMetrics: string[] = [];
export let textMetrics: string[] = [];
/** The metrics of every other task, by its name. */
export let ownMetrics = new Map<string, string[]>();

/** Update the lists above; call it before the overview is drawn. */
export function offerMetrics() {
  tasks = tasksInView();
  const known = [...metricRows.keys()];
  const order = (m: string) => 2 * (known.indexOf(baseName(m)) + 1 || known.length + 1) + Number(isPaper(m));
  const names = (wanted: (task: Task) => boolean) => {
    const cells = cellsInView().filter((c) => wanted(taskOf(c.task)));
    return [...new Set(cells.flatMap((c) => Object.keys(c.metrics ?? {})))].sort((a, b) => order(a) - order(b));
  };
  choiceMetrics = names((x) => isOfFirstBenchmark(x) && isChoice(x));
  textMetrics = names((x) => isOfFirstBenchmark(x) && !isChoice(x));
  ownMetrics = new Map(
    tasks.filter((x) => !isOfFirstBenchmark(x)).map((x) => [x.name, names((y) => y.name === x.name)]),
  );
}

/** The metrics that a task can be shown by. */
export function metricsOf(task: Task): string[] {
  if (!isOfFirstBenchmark(task)) return ownMetrics.get(task.name) ?? [];
  return isChoice(task) ? choiceMetrics : textMetrics;
}

/** The metric that a task is shown by: the chosen one, or the task's first where cells in view lack the chosen one. */
export function metricOf(task: Task): string {
  const chosen = state.byTask.find((x) => x.startsWith(`${task.name}:`))?.slice(task.name.length + 1);
  const wish = isOfFirstBenchmark(task) ? state[isChoice(task) ? "metricChoice" : "metric"] : chosen;
  const there = metricsOf(task);
  if (wish !== undefined && there.includes(wish)) return wish;
  return task.metrics[0] ?? there[0] ?? wish;
}
