// Counts for Prometheus. Loaded only where a port for it is given.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { within } from '../../src-runtime/shared/within.ts'
import type { HostedStore } from '../store/store.ts'
import type { Metrics } from './metrics.ts'

/** What is asked for when somebody reads the metrics. */
export type Sources = {
  readonly connections: HostedStore['connections']
  /** How late the Execution is that waits longest to be looked at; 0: none is late. Absent where nobody sweeps. */
  readonly overdueSeconds?: () => Promise<number>
  /** The same of the schedule that waits longest to fire. */
  readonly scheduleOverdueSeconds?: () => Promise<number>
}

export type Prometheus = {
  readonly metrics: Metrics
  /** In Prometheus' text format. */
  text(sources: Sources | undefined): Promise<string>
  readonly contentType: string
}

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
const OVERDUE_WITHIN_MS = 2_000
const EFFECT_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 3_600]

export const createPrometheus = (about: { readonly version: string; readonly role: string }): Prometheus => {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers })
  const histogram = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    buckets = REQUEST_SECONDS,
  ) => new Histogram({ name, help, labelNames, buckets, registers })

  gauge('wes_build_info', 'The release and the role of the process.', ['version', 'role']).set(about, 1)
  const connections = gauge('wes_database_connections', 'Connections to PostgreSQL.', ['pool', 'state'])
  const waiting = gauge('wes_database_waiting', 'Statements that wait for a connection.', ['pool'])
  const overdue = gauge('wes_overdue_seconds', 'How late the Execution is that waits longest to be looked at.')
  const scheduleOverdue = gauge('wes_schedule_overdue_seconds', 'How late the schedule is that waits longest to fire.')
  const getsWork = gauge('wes_worker_gets_work', 'Whether this worker gets new work: 1 or 0.')
  // prom-client begins with 0, which would say that nothing is late, also in a process that never looks.
  for (const one of [overdue, scheduleOverdue, getsWork]) one.remove()

  const read = async ({ connections: pools, overdueSeconds, scheduleOverdueSeconds }: Sources): Promise<void> => {
    for (const { pool, open, idle, waiting: waits } of pools()) {
      connections.set({ pool, state: 'busy' }, open - idle)
      connections.set({ pool, state: 'idle' }, idle)
      waiting.set({ pool }, waits)
    }
    const measure = async (late: Gauge, seconds: Sources['overdueSeconds']): Promise<void> => {
      if (seconds !== undefined) late.set(await unlessSilent(seconds))
    }
    await Promise.all([measure(overdue, overdueSeconds), measure(scheduleOverdue, scheduleOverdueSeconds)])
  }

  return {
    metrics: createMetrics(counter, histogram, getsWork),
    contentType: registry.contentType,
    text: async (sources) => {
      if (sources !== undefined) await read(sources)
      // prom-client writes Nan. Not every reader takes it.
      return (await registry.metrics()).replaceAll(' Nan\n', ' NaN\n')
    },
  }
}

/** Where the database does not answer, a missing value says so. Prometheus gives up all metrics of an answer after 10 s. */
const unlessSilent = async (ask: () => Promise<number>): Promise<number> =>
  (await within(
    OVERDUE_WITHIN_MS,
    ask().catch(() => NaN),
  )) ?? NaN

const createMetrics = (
  counter: <Label extends string>(name: string, help: string, labels?: readonly Label[]) => Counter<Label>,
  histogram: <Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    buckets?: number[],
  ) => Histogram<Label>,
  getsWork: Gauge,
): Metrics => {
  const requests = counter('wes_requests_total', 'Answered requests of the API.', ['operation', 'status'])
  const requestSeconds = histogram(
    'wes_request_seconds',
    'How long requests of the API took, without those whose callers wait for an end.',
    ['operation'],
  )
  const hooks = counter('wes_hook_calls_total', 'Answered calls of webhooks.', ['status'])
  const hookSeconds = histogram('wes_hook_call_seconds', 'How long calls of webhooks took.', [])
  const work = histogram('wes_work_seconds', 'What Restate asked this worker for.', ['work', 'end'])
  const attempts = histogram('wes_effect_attempt_seconds', 'Attempts of effects.', ['outcome'], EFFECT_SECONDS)
  const started = counter('wes_executions_started_total', 'Executions that were started.')
  const turns = counter('wes_turns_total', 'Turns that were stored.')
  const ended = counter('wes_executions_ended_total', 'Executions that ended.', ['status'])
  const swept = counter('wes_executions_swept_total', 'Executions that the sweeper found overdue.')
  return {
    answered: (operation, status, seconds) => {
      requests.inc({ operation, status })
      if (seconds !== undefined) requestSeconds.observe({ operation }, seconds)
    },
    hookAnswered: (status, seconds) => {
      hooks.inc({ status })
      hookSeconds.observe(seconds)
    },
    worked: (which, end, seconds) => work.observe({ work: which, end }, seconds),
    attempted: (outcome, seconds) => attempts.observe({ outcome }, seconds),
    started: () => started.inc(),
    tookTurns: (count) => turns.inc(count),
    ended: (status) => ended.inc({ status }),
    swept: (count) => swept.inc(count),
    getsWork: (isTrue) => getsWork.set(isTrue ? 1 : 0),
  }
}
