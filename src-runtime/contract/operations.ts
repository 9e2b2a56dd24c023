// THE table: every operation, and which home serves it. Validation, handler types, the OpenAPI document and the
// wire fixtures come from it; a route that is not here does not exist.

import { Type, type Static, type TSchema } from 'typebox'
import { HOLD_LIMIT_SECONDS, IDEMPOTENCY_KEY_LIMIT, PAGE_BYTES } from './limits.ts'
import {
  CancelReceipt,
  Change,
  EventReceipt,
  Execution,
  ExecutionList,
  Health,
  HistoryList,
  NewEvent,
  NewExecution,
  ProgramChange,
  ResultView,
} from './models.ts'
import { bodyErrors, type Home, type OperationSpec } from './operation-spec.ts'
import { hostedOperations } from './hosted-operations.ts'
import { overviewOperations } from './overview-operations.ts'
import { programOperations } from './program-operations.ts'
import { filterQuery, pageQuery } from './queries.ts'
import type { WireJson } from './wire-json.ts'

const executionParams = Type.Object({ id: Type.String({ description: 'Id of the Execution.' }) })

const commandParams = Type.Object({
  id: Type.String({ description: 'Id of the Execution.' }),
  command: Type.String({ description: 'Number of the command, as the history shows it.' }),
})

const earlyErrors = ['project_not_found', 'execution_not_found', 'command_not_open', ...bodyErrors] as const

const executionsQuery = Type.Object({ ...pageQuery, ...filterQuery })

const idempotencyKey = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: IDEMPOTENCY_KEY_LIMIT, description }))

const prefer = Type.Optional(
  Type.String({
    description: `\`wait=N\` (RFC 7240) holds the answer until the status is terminal, at most N seconds (${HOLD_LIMIT_SECONDS} at most).`,
  }),
)

const preferenceApplied = { 'Preference-Applied': 'The `wait` that was honoured.' }

const startHeaders = Type.Object({
  'idempotency-key': idempotencyKey(
    'For 24 hours, an equal request with the same key answers with the Execution of the first.',
  ),
  prefer,
})

const eventHeaders = Type.Object({
  'idempotency-key': idempotencyKey(
    'For 24 hours, an equal request to the same Execution with the same key is answered as the first, and stored once.',
  ),
})

const resultHeaders = Type.Object({ prefer })

const changesHeaders = Type.Object({
  'last-event-id': Type.Optional(Type.String({ description: 'Resumes behind this event.' })),
})

export const operations = {
  ...programOperations,
  startExecution: {
    method: 'POST',
    path: '/v1/executions',
    tag: 'executions',
    summary: 'Start an Execution',
    role: 'write',
    takesProject: true,
    headers: startHeaders,
    body: NewExecution,
    answers: {
      200: {
        description: 'An equal request with the same `Idempotency-Key` started this Execution before.',
        schema: Execution,
        headers: { Location: 'Path of the Execution.', ...preferenceApplied },
      },
      201: {
        description: 'The Execution is stored and will run; with `Prefer: wait`, as it is by then.',
        schema: Execution,
        headers: { Location: 'Path of the Execution.', ...preferenceApplied },
      },
    },
    errors: [
      ...bodyErrors,
      'invalid_input',
      'project_not_found',
      'program_not_found',
      'version_not_found',
      'execution_not_found',
      'program_not_runnable',
      'idempotency_conflict',
      'rate_limited',
    ],
    hostedErrors: ['quota_exceeded'],
  },
  listExecutions: {
    method: 'GET',
    path: '/v1/executions',
    answerBytes: PAGE_BYTES,
    tag: 'executions',
    summary: 'List Executions',
    description: 'Newest first.',
    role: 'read',
    takesProject: true,
    query: executionsQuery,
    answers: { 200: { description: 'A page of Executions.', schema: ExecutionList } },
    errors: ['invalid_request', 'project_not_found'],
  },
  getExecution: {
    method: 'GET',
    path: '/v1/executions/:id',
    tag: 'executions',
    summary: 'Get an Execution',
    role: 'read',
    takesProject: true,
    params: executionParams,
    answers: { 200: { description: 'The Execution.', schema: Execution } },
    errors: ['project_not_found', 'execution_not_found'],
  },
  deleteExecution: {
    method: 'DELETE',
    path: '/v1/executions/:id',
    notAt: '/v1/executions/counts',
    tag: 'executions',
    summary: 'Delete an Execution',
    description: 'One that has ended, with its history. Takes no body; a JSON body is ignored.',
    role: 'write',
    takesProject: true,
    params: executionParams,
    answers: { 204: { description: 'The Execution was deleted.' } },
    errors: ['project_not_found', 'execution_not_found', 'execution_not_finished', ...bodyErrors],
  },
  sendEvent: {
    method: 'POST',
    path: '/v1/executions/:id/events',
    tag: 'executions',
    summary: 'Send an event to an Execution',
    description: 'Events are kept, first in first out for each name, until the Program waits for them.',
    role: 'write',
    takesProject: true,
    params: executionParams,
    headers: eventHeaders,
    body: NewEvent,
    answers: { 202: { description: 'The event is stored.', schema: EventReceipt } },
    errors: [
      ...bodyErrors,
      'invalid_input',
      'project_not_found',
      'execution_not_found',
      'execution_finished',
      'idempotency_conflict',
      'rate_limited',
    ],
  },
  cancelExecution: {
    method: 'POST',
    path: '/v1/executions/:id/cancel',
    tag: 'executions',
    summary: 'Cancel an Execution',
    description: 'Repeatable. Takes no body; a JSON body is ignored.',
    role: 'write',
    takesProject: true,
    params: executionParams,
    answers: {
      202: { description: 'The cancel is stored, or the Execution is already cancelled.', schema: CancelReceipt },
    },
    errors: ['project_not_found', 'execution_not_found', 'execution_finished', ...bodyErrors],
  },
  fireCommand: {
    method: 'POST',
    path: '/v1/executions/:id/commands/:command/fire',
    tag: 'executions',
    summary: 'Fire a timer, or time out a wait, now',
    description: 'Repeatable while the command is open. Takes no body; a JSON body is ignored.',
    role: 'write',
    takesProject: true,
    params: commandParams,
    answers: { 202: { description: 'It is due now, and stays so.', schema: Execution } },
    errors: earlyErrors,
  },
  retryCommand: {
    method: 'POST',
    path: '/v1/executions/:id/commands/:command/retry',
    tag: 'executions',
    summary: 'Retry an effect that is backing off now',
    description: 'Repeatable while the command is open. Takes no body; a JSON body is ignored.',
    role: 'write',
    takesProject: true,
    params: commandParams,
    answers: { 202: { description: 'The next attempt is due now, and stays so.', schema: Execution } },
    errors: earlyErrors,
  },
  getResult: {
    method: 'GET',
    path: '/v1/executions/:id/result',
    tag: 'executions',
    summary: 'Read the result of an Execution',
    role: 'read',
    takesProject: true,
    params: executionParams,
    headers: resultHeaders,
    answers: {
      200: {
        description: 'The status, with the result or the error when there is one.',
        schema: ResultView,
        headers: preferenceApplied,
      },
    },
    errors: ['project_not_found', 'execution_not_found'],
  },
  getHistory: {
    method: 'GET',
    path: '/v1/executions/:id/history',
    answerBytes: PAGE_BYTES,
    tag: 'executions',
    summary: 'Read the history of an Execution',
    description: 'Oldest first.',
    role: 'read',
    takesProject: true,
    params: executionParams,
    query: Type.Object(pageQuery),
    answers: { 200: { description: 'A page of entries.', schema: HistoryList } },
    errors: ['invalid_request', 'project_not_found', 'execution_not_found'],
  },
  streamChanges: {
    method: 'GET',
    path: '/v1/changes',
    tag: 'executions',
    summary: 'Follow changes of Executions',
    description:
      'Server-sent events, each sent after its commit, for all projects unless one is chosen. `deleted` says that an Execution was deleted, with its last status. `program` (a ProgramChange) says that a version was stored or removed, or that the Program can be started now or no longer; `source` and `runtime`, with `{}`, say that `/v1/source` and the disk in `/v1/runtime` have changed. `reset` says that the changes after `Last-Event-ID` are no longer known: read again what you show.',
    role: 'read',
    takesProject: true,
    headers: changesHeaders,
    answers: {
      200: { description: 'A stream that stays open.', schema: Type.Union([Change, ProgramChange]), stream: true },
    },
    errors: ['project_not_found', 'rate_limited'],
  },
  ...overviewOperations,
  ...hostedOperations,
  getHealth: {
    method: 'GET',
    path: '/healthz',
    tag: 'runtime',
    summary: 'Ask whether the service is there, and which it is',
    role: 'open',
    takesProject: false,
    query: Type.Object({
      challenge: Type.Optional(
        Type.String({ pattern: '^[A-Za-z0-9_-]{32,128}$', description: 'Asks for a proof of identity.' }),
      ),
    }),
    answers: { 200: { description: 'It is there.', schema: Health } },
    errors: ['invalid_request'],
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    tag: 'runtime',
    summary: 'Read this description of the API',
    role: 'open',
    takesProject: false,
    answers: { 200: { description: 'OpenAPI 3.1.', schema: Type.Record(Type.String(), Type.Unknown()) } },
    errors: [],
  },
} as const satisfies Record<string, OperationSpec>

export type Operations = typeof operations
export type OperationName = keyof Operations

/** Names of the operations that a home serves. */
export type OperationsOf<Where extends Home> = {
  [Name in OperationName]: Operations[Name] extends { readonly home: infer Only }
    ? Only extends Where
      ? Name
      : never
    : Name
}[OperationName]

/** Names of the operations that every home serves. */
export type SharedOperation = OperationsOf<never>

export type OpenOperation = {
  [Name in OperationName]: Operations[Name] extends { readonly role: 'open' } ? Name : never
}[OperationName]

/** The rows of the table that a home serves. */
export const operationsOf = (home: Home): readonly (readonly [name: OperationName, spec: OperationSpec])[] =>
  (Object.entries(operations) as [OperationName, OperationSpec][]).filter(
    ([, spec]) => spec.home === undefined || spec.home === home,
  )

type StaticOf<Schema> = Schema extends TSchema ? Static<Schema> : undefined
type Part<Spec, Name extends string> = Spec extends { readonly [Key in Name]: infer Schema }
  ? StaticOf<Schema>
  : undefined

/** What a handler is given, checked. */
export type RequestOf<Name extends OperationName> = {
  readonly params: Part<Operations[Name], 'params'>
  readonly query: Part<Operations[Name], 'query'>
  readonly headers: Part<Operations[Name], 'headers'>
  readonly body: Part<Operations[Name], 'body'>
  /** Of `X-Service-Project-Id`, where the operation takes it. */
  readonly projectId: string | undefined
}

/** Without a body. */
type BareAnswer<Status> = { readonly status: Status }

type AnswerFor<Status, Spec> = Spec extends { readonly stream: true }
  ? { readonly status: Status; readonly stream: EventStream }
  : Spec extends { readonly schema: infer Schema }
    ? {
        readonly status: Status
        readonly json: WireJson<StaticOf<Schema>>
        /** `json` in UTF-8, where the same is sent again and again. */
        readonly bytes?: Uint8Array
        readonly headers?: Readonly<Record<string, string>>
      }
    : BareAnswer<Status>

/** What a handler answers with: one of the successes of the table. */
export type AnswerOf<Name extends OperationName> = {
  [Status in keyof Operations[Name]['answers']]: AnswerFor<Status, Operations[Name]['answers'][Status]>
}[keyof Operations[Name]['answers']]

/** Writes server-sent events until the sink closes, or the function it returns is called. */
export type EventStream = (sink: EventSink) => () => void

export type EventSink = {
  /** False while the reader has not read what was written, and when it is gone. */
  isReady(): boolean
  /** Text of whole events. */
  write(text: string | Uint8Array): void
  /** Calls back once, when the reader has read what was written. */
  onDrained(listener: () => void): void
  end(): void
}
