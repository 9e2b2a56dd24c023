// Reads the CPU times of a page's main-thread tasks from Chromium's trace. On a shared machine, wall times also depend on
// other processes.

type TraceEvent = {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** CPU time of the thread, in µs. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** The trace categories that this needs. */
export const TRACED = ['devtools.timeline', 'disabled-by-default-devtools.timeline']

const WORTH_TELLING_MS = 20

/** The CPU times of tasks of more than 20 ms, in ms, in the main thread of any page. */
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
