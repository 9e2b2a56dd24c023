// What Chromium's own trace says about the main thread of a page: how long each task took of the processor. On a machine
// that others use, a task's wall time is as much about them.

type TraceEvent = {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Of the thread, in µs. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** What has to be traced for it. */
export const TRACED = ['devtools.timeline', 'disabled-by-default-devtools.timeline']

const WORTH_TELLING_MS = 20

/** Milliseconds of the processor, of each task that took more than 20, in any page's main thread. */
export const tasksOfTrace = (trace: string): readonly number[] => {
  const { traceEvents } = JSON.parse(trace) as { readonly traceEvents: readonly TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`
  const mains = new Set(
    traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  )
  return traceEvents
    .filter((event) => event.name === 'RunTask' && mains.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1_000)
    .filter((ms) => ms > WORTH_TELLING_MS)
}
