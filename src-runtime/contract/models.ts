// The shapes of the API. A schema with a title is a component of the OpenAPI document; types derive from the schemas.

import { Type, type Static, type TSchema } from 'typebox'
import type { ErrorCause } from '../engine/journal.ts'
import { DURATION_LIMIT, DURATION_PATTERN } from '../shared/durations.ts'
import { NAME_LIMIT } from '../shared/event-names.ts'
import { RETRY_LIMITS } from '../shared/retry-limits.ts'
import { errorCodes } from './errors.ts'
import { NUL_FREE_PATTERN, PROGRAM_ID_PATTERN, TIME_PATTERN, TEXT_PATTERN } from '../shared/patterns.ts'
import { INPUT_PREVIEW_LIMIT, LABEL_LIMIT } from './limits.ts'

export const time = (description: string) => Type.String({ format: 'date-time', description })
/** Chosen by a Program, so also of a year that RFC 3339 cannot write. */
const programTime = (description: string) =>
  Type.String({ description: `${description} ISO 8601; of a year after 9999 as \`+012026-01-31T12:00:00.000Z\`.` })
/** In a request. */
export const givenTime = (description: string) =>
  Type.String({
    pattern: TIME_PATTERN,
    description: `${description} An ISO 8601 time with its zone, or a date, which begins in UTC.`,
  })
const json = (description: string) => Type.Unknown({ description: `${description} Any JSON value.` })
export const oneOf = <const Values extends string[]>(
  values: readonly [...Values],
  about: { readonly title?: string; readonly description?: string } = {},
) => Type.Enum(values, { type: 'string', ...about })

export const listOf = <Item extends TSchema>(item: Item, title: string) =>
  Type.Object(
    {
      items: Type.Array(item),
      nextCursor: Type.Union([Type.String(), Type.Null()], {
        description: 'Pass it as `cursor` to get the next page; null on the last one.',
      }),
    },
    { title },
  )

export const executionStatuses = [
  'queued',
  'running',
  'waiting',
  'cancelling',
  'completed',
  'failed',
  'cancelled',
] as const

export const ExecutionStatus = oneOf(executionStatuses, {
  title: 'ExecutionStatus',
  description: '`completed`, `failed` and `cancelled` are terminal.',
})

export const ErrorBody = Type.Object(
  { error: Type.Object({ code: oneOf(errorCodes), message: Type.String() }) },
  { title: 'Error', description: 'The body of every answer that is not a success.' },
)

export const Project = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    isDefault: Type.Boolean({ description: 'Used when a request names no project.' }),
    createdAt: time('When it was created.'),
  },
  { title: 'Project' },
)

const Interval = Type.Union([
  Type.Number({ minimum: 0, maximum: RETRY_LIMITS.intervalMs.most }),
  Type.String({ documented: { pattern: DURATION_PATTERN, maxLength: DURATION_LIMIT } }),
])

export const RetryPolicy = Type.Object(
  {
    maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: RETRY_LIMITS.maxAttempts.most })),
    initialInterval: Type.Optional(Interval),
    backoffCoefficient: Type.Optional(Type.Number({ minimum: 1, maximum: RETRY_LIMITS.backoffCoefficient.most })),
    maxInterval: Type.Optional(Interval),
  },
  { title: 'RetryPolicy', description: 'Intervals are milliseconds or strings such as "90s", and at most 365 days.' },
)

const JsonSchema = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Boolean()], {
  title: 'JsonSchema',
  description: 'A JSON Schema. References stay within it.',
})

/** Of an event or an effect. */
const Name = Type.String({ minLength: 1, maxLength: NAME_LIMIT, pattern: NUL_FREE_PATTERN })

export const Manifest = Type.Object(
  {
    inputSchema: Type.Optional(JsonSchema),
    events: Type.Optional(
      Type.Array(
        Type.Object({
          name: Name,
          payloadSchema: Type.Optional(JsonSchema),
        }),
      ),
    ),
    effects: Type.Optional(
      Type.Array(
        Type.Object({
          name: Name,
          retry: Type.Optional(RetryPolicy),
          timeoutMs: Type.Optional(Type.Integer({ minimum: 1 })),
        }),
      ),
    ),
  },
  { title: 'Manifest', description: 'What a Program declares. Members that are not named here are kept.' },
)

const Bundle = Type.Object(
  { code: Type.String(), sourceMap: Type.Optional(Type.String()) },
  {
    title: 'Bundle',
    description: 'Code, and its source map as text: of a Program a classic script, of effects an ES module.',
  },
)

export const Artifact = Type.Object(
  {
    format: Type.Literal('wes.program/1'),
    id: Type.String({ pattern: PROGRAM_ID_PATTERN }),
    description: Type.Optional(Type.String()),
    sdk: Type.Optional(Type.String({ description: 'What compiled it. Not part of the content.' })),
    program: Bundle,
    manifest: Type.Optional(Manifest),
    effects: Type.Optional(Bundle),
  },
  { title: 'Artifact', description: 'A compiled Program.' },
)

export const Version = Type.Object(
  {
    id: Type.String(),
    programId: Type.String(),
    number: Type.Integer({ minimum: 1 }),
    digest: Type.String({ description: 'SHA-256, in hex, of the RFC 8785 form of the artifact without `sdk`.' }),
    origin: oneOf(['upload', 'source']),
    hasEffects: Type.Boolean(),
    runnable: Type.Boolean({ description: 'Whether this runtime may run it.' }),
    manifest: Manifest,
    createdAt: time('When it was stored.'),
  },
  { title: 'Version' },
)

export const Program = Type.Object(
  {
    id: Type.String({ pattern: PROGRAM_ID_PATTERN }),
    projectId: Type.String(),
    description: Type.Optional(Type.String()),
    latestVersion: Version,
    runnable: Type.Boolean({ description: 'Whether some version is runnable here.' }),
    createdAt: time('When its first version was stored.'),
    updatedAt: time('When its latest version was stored.'),
  },
  { title: 'Program' },
)

export const WaitingFor = Type.Union(
  [
    Type.Object({
      kind: Type.Literal('event'),
      name: Type.String(),
      since: time('When the Program began to wait.'),
      timeoutAt: Type.Optional(programTime('When the wait times out.')),
    }),
    Type.Object({ kind: Type.Literal('timer'), wakeAt: programTime('When the timer is due.') }),
    Type.Object({
      kind: Type.Literal('effect'),
      name: Type.String(),
      attempt: Type.Integer({ minimum: 1 }),
      nextAttemptAt: Type.Optional(time('When the attempt may begin.')),
    }),
  ],
  { title: 'WaitingFor' },
)

const causeMembers = {
  name: Type.Optional(Type.String()),
  message: Type.String(),
  stack: Type.Optional(Type.String({ description: "Mapped to the author's source where a source map exists." })),
}

const ErrorCause = Type.Unsafe<ErrorCause>(
  Type.Object(
    {
      ...causeMembers,
      cause: Type.Optional(Type.Object(causeMembers, { description: 'Likewise, with its own `cause`.' })),
    },
    { title: 'ErrorCause', description: 'What led to the error (`Error.cause`): at most 8 deep and 64 KiB in all.' },
  ),
)

export const ExecutionFailure = Type.Object(
  {
    code: oneOf([
      'program_error',
      'effect_failed',
      'nondeterminism',
      'history_damaged',
      'program_timeout',
      'program_out_of_memory',
      'history_limit_exceeded',
      'result_too_large',
      'invalid_result',
    ]),
    message: Type.String(),
    name: Type.Optional(Type.String()),
    stack: Type.Optional(Type.String({ description: "Mapped to the author's source where a source map exists." })),
    cause: Type.Optional(ErrorCause),
  },
  { title: 'ExecutionFailure' },
)

export const triggerTypes = ['webhook', 'schedule'] as const

const summaryMembers = {
  id: Type.String(),
  projectId: Type.String(),
  programId: Type.String(),
  versionId: Type.String(),
  versionNumber: Type.Integer({ minimum: 1 }),
  status: ExecutionStatus,
  error: Type.Optional(ExecutionFailure),
  createdAt: time('When it was accepted.'),
  startedAt: Type.Optional(time('When it first ran.')),
  finishedAt: Type.Optional(time('When it reached a terminal status.')),
  waitingFor: Type.Array(WaitingFor, { description: 'Empty when terminal.' }),
  label: Type.Optional(
    Type.String({
      maxLength: LABEL_LIMIT,
      description: "What the Program's `label(input)` returned in the first turn.",
    }),
  ),
  inputPreview: Type.Optional(
    Type.String({ maxLength: INPUT_PREVIEW_LIMIT, description: "The first characters of the input's JSON." }),
  ),
  againOf: Type.Optional(Type.String({ description: 'Id of the Execution that this one runs again.' })),
  trigger: Type.Optional(
    Type.Object(
      { id: Type.String(), type: oneOf(triggerTypes) },
      { description: 'What started it, on the hosted service.' },
    ),
  ),
}

export const ExecutionSummary = Type.Object(summaryMembers, { title: 'ExecutionSummary' })

export const Execution = Type.Object(
  {
    ...summaryMembers,
    input: Type.Optional(json('What it was started with.')),
    result: Type.Optional(json('What the Program returned.')),
    cancelRequestedAt: Type.Optional(time('When its cancellation was first asked for.')),
  },
  { title: 'Execution' },
)

export const ResultView = Type.Object(
  {
    status: ExecutionStatus,
    result: Type.Optional(json('What the Program returned.')),
    error: Type.Optional(ExecutionFailure),
  },
  { title: 'ResultView' },
)

export const HistoryEntry = Type.Object(
  {
    position: Type.Integer({ minimum: 1 }),
    at: time('The clock of the Program in the turn that wrote it; of `event_received`, when the event was accepted.'),
    type: oneOf([
      'execution_started',
      'effect_scheduled',
      'effect_attempt_failed',
      'effect_completed',
      'effect_failed',
      'timer_scheduled',
      'timer_fired',
      'wait_scheduled',
      'wait_timed_out',
      'event_received',
      'event_delivered',
      'log',
      'cancel_requested',
      'execution_completed',
      'execution_failed',
      'execution_cancelled',
    ]),
    command: Type.Optional(Type.Integer({ minimum: 1, description: "The command's number within the Execution." })),
    name: Type.Optional(Type.String()),
    attempt: Type.Optional(Type.Integer({ minimum: 1 })),
    data: Type.Optional(json('What belongs to the entry.')),
  },
  { title: 'HistoryEntry' },
)

export const EventReceipt = Type.Object(
  { id: Type.String(), executionId: Type.String(), name: Type.String(), receivedAt: time('When it was stored.') },
  { title: 'EventReceipt' },
)

export const CancelReceipt = Type.Object({ id: Type.String(), status: ExecutionStatus }, { title: 'CancelReceipt' })

export const Change = Type.Object(
  {
    executionId: Type.String(),
    programId: Type.String(),
    projectId: Type.String(),
    status: ExecutionStatus,
    at: time('When it was committed.'),
  },
  { title: 'Change' },
)

export const ProgramChange = Type.Object(
  {
    programId: Type.String(),
    projectId: Type.String(),
    versionNumber: Type.Integer({ minimum: 1, description: 'The newest version.' }),
    at: time('When it was committed.'),
  },
  { title: 'ProgramChange' },
)

export const Health = Type.Object(
  {
    service: Type.Literal('workflow-execution-service'),
    mode: oneOf(['local', 'hosted']),
    version: Type.String(),
    startedAt: time('When this process began to serve.'),
    features: Type.Array(Type.String(), { description: 'What this service has beyond the first version of the API.' }),
    instanceId: Type.Optional(Type.String()),
    port: Type.Optional(Type.Integer()),
    proof: Type.Optional(
      Type.String({ description: 'base64url HMAC-SHA256 over the challenge, the instance and the port.' }),
    ),
  },
  { title: 'Health' },
)

export const ProjectList = listOf(Project, 'ProjectList')
export const ProgramList = listOf(Program, 'ProgramList')
export const VersionList = listOf(Version, 'VersionList')
export const ExecutionList = listOf(ExecutionSummary, 'ExecutionList')
export const HistoryList = listOf(HistoryEntry, 'HistoryList')

export const NewProject = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 80,
      documented: { pattern: TEXT_PATTERN },
      description: 'Unique in the workspace. Not blank, without control characters.',
    }),
  },
  { title: 'ProjectRequest' },
)

export const NewExecution = Type.Object(
  {
    programId: Type.String({ minLength: 1 }),
    input: Type.Optional(json('Handed to the Program.')),
    version: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Number of a version; by default the newest that is runnable.' }),
    ),
    againOf: Type.Optional(Type.String({ description: 'Id of the Execution that this one runs again.' })),
  },
  { title: 'ExecutionRequest' },
)

export const NewEvent = Type.Object(
  {
    name: Name,
    payload: Type.Optional(json('Handed to the Program.')),
  },
  { title: 'EventRequest' },
)

export type Artifact = Static<typeof Artifact>
export type Manifest = Static<typeof Manifest>
export type Project = Static<typeof Project>
export type Program = Static<typeof Program>
export type Version = Static<typeof Version>
export type WaitingFor = Static<typeof WaitingFor>
export type ExecutionSummary = Static<typeof ExecutionSummary>
export type Execution = Static<typeof Execution>
export type ResultView = Static<typeof ResultView>
export type HistoryEntry = Static<typeof HistoryEntry>
export type EventReceipt = Static<typeof EventReceipt>
export type CancelReceipt = Static<typeof CancelReceipt>
export type Change = Static<typeof Change>
export type ProgramChange = Static<typeof ProgramChange>
export type Health = Static<typeof Health>
export type NewExecution = Static<typeof NewExecution>
export type NewEvent = Static<typeof NewEvent>
export type NewProject = Static<typeof NewProject>
