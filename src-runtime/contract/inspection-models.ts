// The shapes of the routes that look at many Executions at once, and at the runtime itself.

import { Type, type Static } from 'typebox'
import { PROGRAM_ID_PATTERN } from '../shared/patterns.ts'
import { AGAIN_OF_MAX, BULK_LIMIT, LABEL_LIMIT } from './limits.ts'
import { ExecutionStatus, executionStatuses, givenTime, listOf, oneOf, time } from './models.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const WaitingKind = oneOf(['event', 'timer', 'effect'], { description: 'What is awaited.' })

export const ExecutionCounts = Type.Object(
  {
    counts: Type.Object(
      Object.fromEntries(executionStatuses.map((status) => [status, Type.Integer({ minimum: 0 })])) as Record<
        ExecutionStatus,
        ReturnType<typeof Type.Integer>
      >,
    ),
    needsAttention: count(
      'Those that failed, wait while an effect backs off, or have waited for the same event for more than an hour.',
    ),
  },
  { title: 'ExecutionCounts' },
)
type ExecutionStatus = Static<typeof ExecutionStatus>

export const filterTimes = {
  createdAfter: Type.Optional(givenTime('Accepted after this; exclusive.')),
  createdBefore: Type.Optional(givenTime('Accepted before this; exclusive.')),
  finishedAfter: Type.Optional(givenTime('Ended after this; exclusive.')),
  finishedBefore: Type.Optional(givenTime('Ended before this; exclusive.')),
}

/** In a query, what may be repeated is a list; in a body it may be one value as well. */
const oneOrMore = <Item extends ReturnType<typeof Type.String> | typeof ExecutionStatus>(
  item: Item,
  description: string,
  maxItems?: number,
) => Type.Union([item, Type.Array(item, { minItems: 1, ...(maxItems !== undefined && { maxItems }) })], { description })

export const BulkFilter = Type.Object(
  {
    status: Type.Optional(oneOrMore(ExecutionStatus, 'Any of these.')),
    notStatus: Type.Optional(oneOrMore(ExecutionStatus, 'None of these.')),
    programId: Type.Optional(Type.String({ pattern: PROGRAM_ID_PATTERN })),
    notProgramId: Type.Optional(oneOrMore(Type.String({ pattern: PROGRAM_ID_PATTERN }), 'None of these.')),
    version: Type.Optional(Type.Integer({ minimum: 1 })),
    ...filterTimes,
    q: Type.Optional(Type.String({ maxLength: 500 })),
    notQ: Type.Optional(Type.String({ maxLength: 500 })),
    label: Type.Optional(Type.String({ maxLength: LABEL_LIMIT })),
    needsAttention: Type.Optional(Type.Boolean()),
    waitingKind: Type.Optional(WaitingKind),
    waitingName: Type.Optional(Type.String({ maxLength: 200 })),
    errorFingerprint: Type.Optional(Type.String({ maxLength: 64 })),
    triggerId: Type.Optional(Type.String({ maxLength: 64 })),
    againOf: Type.Optional(
      oneOrMore(Type.String({ maxLength: 64 }), 'They run any of these Executions again.', AGAIN_OF_MAX),
    ),
  },
  {
    title: 'BulkFilter',
    additionalProperties: false,
    description:
      "The list's filters. A member that is not known is refused here: left out, it would match more than was meant.",
  },
)

const BulkAction = oneOf(['cancel', 'delete', 'run-again'])

export const NewBulk = Type.Object(
  {
    action: BulkAction,
    ids: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: BULK_LIMIT })),
    filter: Type.Optional(BulkFilter),
  },
  {
    title: 'BulkRequest',
    // As two alternatives, generators would make types that lose the members.
    documented: { if: { required: ['ids'] }, then: { properties: { filter: false } }, else: { required: ['filter'] } },
    description: 'Either `ids` or `filter`. An empty filter matches every Execution of the project.',
  },
)

export const Bulk = Type.Object(
  {
    id: Type.String(),
    action: BulkAction,
    status: oneOf(['running', 'done', 'stopped']),
    matched: count('Executions that were found at the start.'),
    done: count('With how many it is done.'),
    failed: count('With how many it was not possible.'),
  },
  { title: 'Bulk' },
)

export const WaitingGroup = Type.Object(
  {
    kind: WaitingKind,
    name: Type.String({ description: 'Empty for timers.' }),
    programId: Type.String(),
    count: count('Executions.'),
    oldestSince: time('Since when one of them has waited.'),
    exampleExecutionId: Type.String(),
  },
  { title: 'WaitingGroup' },
)

export const ErrorGroup = Type.Object(
  {
    fingerprint: Type.String(),
    programId: Type.String(),
    code: Type.String(),
    name: Type.Optional(Type.String()),
    message: Type.String({ description: 'That of the example, with what its causes say, at most 4,096 characters.' }),
    count: count('Executions that are still stored.'),
    firstAt: time('When it first came.'),
    lastAt: time('When it last came.'),
    exampleExecutionId: Type.String({ description: 'The newest.' }),
  },
  { title: 'ErrorGroup' },
)

const milliseconds = (description: string) => Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description })

export const Metrics = Type.Object(
  {
    stepMs: Type.Integer({ minimum: 1_000 }),
    points: Type.Array(
      Type.Object({
        at: time('When the step begins.'),
        started: count('Executions that were accepted in the step.'),
        completed: count('Executions that ended so in the step; like the two below.'),
        failed: Type.Integer({ minimum: 0 }),
        cancelled: Type.Integer({ minimum: 0 }),
        p50Ms: milliseconds('Half of those that ended in the step took so long at most; null when none ended.'),
        p95Ms: milliseconds('95 of 100 took so long at most.'),
      }),
    ),
    queued: count('Executions that are queued now.'),
  },
  { title: 'Metrics' },
)

const SourceFault = Type.Object({
  path: Type.String(),
  line: Type.Integer({ minimum: 0 }),
  column: Type.Integer({ minimum: 0 }),
  message: Type.String(),
  frame: Type.String({ description: 'The lines around it; empty when the file could not be read.' }),
})

export const SourceStatus = Type.Object(
  {
    folder: Type.String({ description: 'The project folder, absolute.' }),
    watching: Type.Boolean(),
    missing: Type.Optional(Type.Boolean({ description: 'Whether there is no such folder now; absent if there is.' })),
    reading: Type.Optional(
      Type.Boolean({
        description:
          'Whether the folder is being read for the first time, so that more Programs may come; absent afterwards.',
      }),
    ),
    projectId: Type.Optional(
      Type.String({ description: 'The project that its Programs belong to, once known; absent if it does not exist.' }),
    ),
    programs: Type.Array(Type.Object({ id: Type.String(), path: Type.String() })),
    errors: Type.Array(SourceFault),
    warnings: Type.Optional(
      Type.Array(SourceFault, {
        description:
          'What compiles, and may not do what it seems to. The frame is empty when a warning is of a file as a whole. Absent if there are none.',
      }),
    ),
  },
  { title: 'SourceStatus' },
)

const hostMembers = {
  role: oneOf(['shared', 'alone']),
  pid: Type.Optional(Type.Integer()),
  rssBytes: Type.Optional(Type.Integer({ description: 'Where the system tells.' })),
}

export const RuntimeHost = Type.Union(
  [
    Type.Object({
      kind: Type.Literal('program'),
      ...hostMembers,
      state: oneOf(['starting', 'ready']),
      busy: count('Turns under way.'),
    }),
    Type.Object({
      kind: Type.Literal('effect'),
      ...hostMembers,
      state: oneOf(['starting', 'ready', 'blocked', 'retiring']),
      busy: count('Attempts under way.'),
      folder: Type.String({ description: 'Whose effects it performs.' }),
      startedAt: time('When it was started.'),
    }),
  ],
  { title: 'RuntimeHost', description: 'A child process that runs Programs, or the effects of a project folder.' },
)

export const RuntimeStatus = Type.Object(
  {
    version: Type.String(),
    pid: Type.Integer(),
    port: Type.Integer(),
    dataDir: Type.String(),
    dataBytes: Type.Integer({ minimum: 0, description: "The database's files." }),
    diskIsFull: Type.Boolean({ description: 'Nothing can be stored until there is room on the disk.' }),
    startedAt: time('When this process began to serve.'),
    startedBy: Type.Optional(
      Type.Object(
        { cli: Type.String(), start: Type.String() },
        { description: 'How its user calls `wes`, and the command that starts this runtime again.' },
      ),
    ),
    eventLoopDelayP99Ms: Type.Number({
      minimum: 0,
      description: 'How late the runtime came to what was due, over the last seconds.',
    }),
    hosts: Type.Array(RuntimeHost),
  },
  { title: 'RuntimeStatus' },
)

export const WaitingList = listOf(WaitingGroup, 'WaitingList')
export const ErrorList = listOf(ErrorGroup, 'ErrorList')

export type ExecutionCounts = Static<typeof ExecutionCounts>
export type BulkFilter = Static<typeof BulkFilter>
export type NewBulk = Static<typeof NewBulk>
export type Bulk = Static<typeof Bulk>
export type WaitingGroup = Static<typeof WaitingGroup>
export type ErrorGroup = Static<typeof ErrorGroup>
export type Metrics = Static<typeof Metrics>
export type SourceFault = Static<typeof SourceFault>
export type SourceStatus = Static<typeof SourceStatus>
export type RuntimeHost = Static<typeof RuntimeHost>
export type RuntimeStatus = Static<typeof RuntimeStatus>
