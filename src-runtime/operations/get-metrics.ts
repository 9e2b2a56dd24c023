import { ApiError } from '../contract/errors.ts'
import type { Metrics } from '../contract/inspection-models.ts'
import { METRICS_POINTS_LIMIT, METRICS_STEP_MAX_MS, METRICS_STEP_MIN_MS } from '../contract/limits.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import { durationMs } from '../shared/durations.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { timeOf } from './read-filter.ts'
import { iso } from './show-execution.ts'

type MetricsRequest = {
  readonly from?: string
  readonly to?: string
  readonly step?: string
  readonly programId?: string
}

export const getMetrics = async (
  ports: ProjectPorts & Pick<OperationPorts, 'now' | 'reuse'>,
  request: { readonly projectId: string | undefined; readonly query: MetricsRequest },
): Promise<WireJson<Metrics>> => {
  const { programId } = request.query
  const { from, stepMs, steps } = readSteps(request.query, ports.now())
  const query = {
    projectId: await chooseProject(ports, request.projectId),
    ...(programId !== undefined && { programId }),
    from,
    stepMs,
    steps,
  }
  const { points, queued } = await ports.reuse(['metrics', query], async () => ports.store.overview.metrics(query))
  return toWire({
    stepMs,
    points: points.map((point, index) => ({ at: iso(from + index * stepMs), ...point })),
    queued,
  })
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const DEFAULT_SPAN_MS = HOUR
/** The most points that a chart shows. */
const POINTS = 120

/** Steps that are easy to read on an axis. */
const ROUND_STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 7, 14, 30].map((days) => days * DAY),
]

/** Without a `from`, the steps begin at whole ones of their length, and stay where they are when it is asked again. */
const readSteps = (asked: MetricsRequest, now: number) => {
  const to = asked.to === undefined ? now : timeOf('query/to', asked.to)
  const askedFrom = asked.from === undefined ? undefined : timeOf('query/from', asked.from)
  const earliest = askedFrom ?? to - DEFAULT_SPAN_MS
  if (earliest >= to) throw new ApiError('invalid_request', 'query/from must be before query/to')
  const stepMs = asked.step === undefined ? roundStep(to - earliest) : readStep(asked.step)
  const from = askedFrom ?? Math.floor(earliest / stepMs) * stepMs
  const steps = Math.ceil((to - from) / stepMs)
  if (steps > METRICS_POINTS_LIMIT) {
    const why =
      asked.step === undefined
        ? `query/from must be at most ${METRICS_POINTS_LIMIT * (METRICS_STEP_MAX_MS / DAY)} days before query/to`
        : `query/step makes ${steps} points of this time; there may be ${METRICS_POINTS_LIMIT} at most`
    throw new ApiError('invalid_request', why)
  }
  return { from, stepMs, steps }
}

const roundStep = (spanMs: number): number =>
  ROUND_STEPS.find((stepMs) => spanMs / stepMs <= POINTS) ?? ROUND_STEPS.at(-1)!

const readStep = (text: string): number => {
  const stepMs = durationMs(/^\d{1,15}$/.test(text) ? Number(text) : text)
  if (stepMs !== undefined && stepMs >= METRICS_STEP_MIN_MS && stepMs <= METRICS_STEP_MAX_MS) return stepMs
  throw new ApiError('invalid_request', 'query/step must be milliseconds, or text such as 5m, and from 1 s to 30 days')
}
