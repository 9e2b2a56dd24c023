// Makes the table of figures, with their goals.

import { againstGoals, type Row } from '../report.ts'
import { percentile } from '../statistics.ts'
import type { Observed } from './browser.ts'
import type { FirstRows } from './measure-first-rows.ts'
import type { Heap, HistoryScrolling } from './measure-history.ts'
import type { ListScrolling } from './measure-list.ts'
import type { Latencies, Rush } from './measure-live.ts'
import { type Scripts, totalOf } from './scripts.ts'

export type Measured = {
  readonly firstRows: FirstRows
  readonly scripts: Scripts
  readonly list: ListScrolling
  readonly history: HistoryScrolling
  readonly latencies: Latencies
  /** By screen. */
  readonly rushes: Readonly<Record<string, Rush>>
}

const LONG_TASK_MS = 100
const MOST_GROWTH = 20

export const uiFigures = ({ firstRows, scripts, list, history, latencies, rushes }: Measured): readonly Row[] =>
  againstGoals([
    { name: 'first rows, cold cache, p50 ms', ours: percentile(firstRows.coldMs, 50), atMost: 500 },
    { name: 'first rows, cold cache, slowest ms', ours: Math.max(...firstRows.coldMs) },
    { name: 'first rows, cold cache, CPU p50 ms', ours: percentile(firstRows.coldBusyMs, 50) },
    { name: 'first rows, warm cache, p50 ms', ours: percentile(firstRows.warmMs, 50), atMost: 500 },
    { name: 'JavaScript of the first screen, kB gzip', ours: totalOf(scripts.first) / 1_000, atMost: 250 },
    ...longTasks('list by wheel', list.wheel),
    ...longTasks('list by scroll bar', list.drag),
    { name: 'list, from scrolling to the end to its last rows, ms', ours: list.endMs },
    growth('list', list.heap),
    { name: 'long history, until it is fully loaded, ms', ours: history.readMs },
    ...longTasks('long history, reading', history.reading),
    ...longTasks('long history, wheel and scroll bar', history.history),
    ...longTasks('long history, keys', history.historyKeys),
    ...longTasks('timeline, wheel and scroll bar', history.timeline),
    ...longTasks('timeline, zoom', history.zoom),
    growth('long history', history.historyHeap),
    growth('timeline', history.timelineHeap),
    ...Object.entries(rushes).flatMap(([screen, rush]) => [
      { name: `${screen}: changes per second`, ours: rush.perSecond },
      ...longTasks(screen, rush),
    ]),
    { name: 'from a change to the list, p50 ms', ours: percentile(latencies.listMs, 50), atMost: 300 },
    { name: 'from a change to the list, p95 ms', ours: percentile(latencies.listMs, 95), atMost: 300 },
    { name: 'from a change to its Execution, p50 ms', ours: percentile(latencies.executionMs, 50), atMost: 300 },
    { name: 'from a change to its Execution, p95 ms', ours: percentile(latencies.executionMs, 95), atMost: 300 },
  ])

const longTasks = (what: string, { longTasks: tasks, busyTasks, events }: Observed) => [
  { name: `${what}: tasks over 50 ms`, ours: tasks.length },
  { name: `${what}: longest task, ms`, ours: Math.max(0, ...tasks), atMost: LONG_TASK_MS },
  { name: `${what}: longest task, CPU ms`, ours: Math.max(0, ...busyTasks), atMost: LONG_TASK_MS },
  ...(events.length === 0 ? [] : [{ name: `${what}: slowest response to an input, ms`, ours: Math.max(...events) }]),
]

const growth = (what: string, { before, after }: Heap) => ({
  name: `${what}: heap growth after scrolling, %`,
  ours: (after / before - 1) * 100,
  atMost: MOST_GROWTH,
})
