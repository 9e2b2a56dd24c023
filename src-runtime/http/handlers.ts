// One handler for each operation of the table: reads the checked request, calls the operation and sets the status. A
// handler that is missing, or answers in another shape, does not compile.

import { openApiDocument } from '../contract/open-api.ts'
import type { AnswerOf, EventStream, OperationName, RequestOf } from '../contract/operations.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import { actEarly } from '../operations/act-early.ts'
import { cancelExecution } from '../operations/cancel-execution.ts'
import { countExecutions } from '../operations/count-executions.ts'
import { createProject } from '../operations/create-project.ts'
import { deleteExecution } from '../operations/delete-execution.ts'
import { deleteVersion } from '../operations/delete-version.ts'
import { deployProgram } from '../operations/deploy-program.ts'
import { getArtifact } from '../operations/get-artifact.ts'
import { getBulk, stopBulk } from '../operations/find-bulk.ts'
import { getExecution } from '../operations/get-execution.ts'
import { getHealth, type Identity } from '../operations/get-health.ts'
import { getHistory } from '../operations/get-history.ts'
import { getMetrics } from '../operations/get-metrics.ts'
import { getProgram } from '../operations/get-program.ts'
import { getResult, untilTerminal, type Hold } from '../operations/get-result.ts'
import { getRuntime } from '../operations/get-runtime.ts'
import { getSource } from '../operations/get-source.ts'
import { listErrors } from '../operations/list-errors.ts'
import { listExecutions } from '../operations/list-executions.ts'
import { listPrograms } from '../operations/list-programs.ts'
import { listProjects } from '../operations/list-projects.ts'
import { listVersions } from '../operations/list-versions.ts'
import { listWaiting } from '../operations/list-waiting.ts'
import type { OperationPorts } from '../operations/operation-ports.ts'
import { sendEvent } from '../operations/send-event.ts'
import { startBulk } from '../operations/start-bulk.ts'
import { readAgain } from '../operations/find-execution.ts'
import { showExecution } from '../operations/show-execution.ts'
import { startExecution } from '../operations/start-execution.ts'
import { streamChanges } from '../operations/stream-changes.ts'
import { preferredWait } from './preferences.ts'

export type Caller = {
  /**
   * Before an answer is held: calls back when the caller is gone, until the function it returns is called; `undefined`
   * when the connection holds too many answers already.
   */
  hold(onGone: () => void): (() => void) | undefined
}

export type Handlers = {
  readonly [Name in OperationName]: (
    request: RequestOf<Name>,
    caller: Caller,
  ) => AnswerOf<Name> | Promise<AnswerOf<Name>>
}

/** An answer before it is sent. */
export type Answer = {
  readonly status: number
  readonly json?: WireJson<unknown>
  readonly stream?: EventStream
  readonly headers?: Readonly<Record<string, string>>
}

export const createHandlers = (ports: OperationPorts, identity: Identity): Handlers => {
  let openApi: WireJson<Record<string, unknown>> | undefined
  return {
    listProjects: () => ({ status: 200, json: listProjects(ports) }),
    createProject: async ({ body }) => ({ status: 201, json: await createProject(ports, body) }),
    deployProgram: async ({ body, projectId }) => {
      const { kind, program } = await deployProgram(ports, { projectId, artifact: body })
      return { status: kind === 'created' ? 201 : 200, json: program }
    },
    listPrograms: ({ query, projectId }) => ({ status: 200, json: listPrograms(ports, { projectId, page: query }) }),
    getProgram: ({ params, projectId }) => ({ status: 200, json: getProgram(ports, { id: params.id, projectId }) }),
    listVersions: ({ params, query, projectId }) => ({
      status: 200,
      json: listVersions(ports, { id: params.id, projectId, page: query }),
    }),
    getArtifact: ({ params, projectId }) => ({
      status: 200,
      json: getArtifact(ports, { id: params.id, number: params.number, projectId }),
    }),
    deleteVersion: async ({ params, projectId }) => {
      await deleteVersion(ports, { ...params, projectId })
      return { status: 204 }
    },
    startExecution: async ({ body, headers, projectId }, caller) => {
      const idempotencyKey = headers['idempotency-key']
      const { kind, id, key, execution } = await startExecution(ports, { projectId, idempotencyKey, body })
      const status = kind === 'started' ? 201 : 200
      const location = `/v1/executions/${id}`
      const seconds = preferredWait(headers.prefer)
      if (seconds === undefined) return { status, json: execution, headers: { location } }
      const wasHeld = await untilTerminal(ports, key, holdFor(seconds, caller))
      const json = showExecution(ports.store, readAgain(ports.store, key))
      return { status, json, headers: { location, ...preferenceApplied(seconds, wasHeld) } }
    },
    listExecutions: async ({ query, projectId }) => ({
      status: 200,
      json: await listExecutions(ports, { projectId, page: query, filter: query }),
    }),
    countExecutions: async ({ query, projectId }) => ({
      status: 200,
      json: await countExecutions(ports, { projectId, filter: query }),
    }),
    getExecution: ({ params, projectId }) => ({ status: 200, json: getExecution(ports, { id: params.id, projectId }) }),
    deleteExecution: async ({ params, projectId }) => {
      await deleteExecution(ports, { id: params.id, projectId })
      return { status: 204 }
    },
    sendEvent: async ({ params, body, headers, projectId }) => {
      const idempotencyKey = headers['idempotency-key']
      return { status: 202, json: await sendEvent(ports, { id: params.id, projectId, idempotencyKey, event: body }) }
    },
    cancelExecution: async ({ params, projectId }) => ({
      status: 202,
      json: await cancelExecution(ports, { id: params.id, projectId }),
    }),
    fireCommand: async ({ params, projectId }) => ({
      status: 202,
      json: await actEarly(ports, 'fire', { ...params, projectId }),
    }),
    retryCommand: async ({ params, projectId }) => ({
      status: 202,
      json: await actEarly(ports, 'retry', { ...params, projectId }),
    }),
    getResult: async ({ params, headers, projectId }, caller) => {
      const seconds = preferredWait(headers.prefer)
      const hold = seconds === undefined ? undefined : holdFor(seconds, caller)
      const { answer, wasHeld } = await getResult(ports, { id: params.id, projectId }, hold)
      return seconds === undefined
        ? { status: 200, json: answer }
        : { status: 200, json: answer, headers: preferenceApplied(seconds, wasHeld) }
    },
    getHistory: ({ params, query, projectId }) => ({
      status: 200,
      json: getHistory(ports, { id: params.id, projectId, page: query }),
    }),
    startBulk: async ({ body, projectId }) => ({ status: 202, json: await startBulk(ports, { projectId, body }) }),
    getBulk: ({ params }) => ({ status: 200, json: getBulk(ports, params.id) }),
    stopBulk: ({ params }) => ({ status: 202, json: stopBulk(ports, params.id) }),
    listWaiting: async ({ query, projectId }) => ({
      status: 200,
      json: await listWaiting(ports, { projectId, page: query }),
    }),
    listErrors: async ({ query, projectId }) => ({
      status: 200,
      json: await listErrors(ports, { projectId, programId: query.programId, page: query }),
    }),
    getMetrics: async ({ query, projectId }) => ({
      status: 200,
      json: await getMetrics(ports, { projectId, query }),
    }),
    streamChanges: ({ headers, projectId }) => ({
      status: 200,
      stream: streamChanges(ports, { projectId, lastEventId: headers['last-event-id'] }),
    }),
    getHealth: ({ query }) => ({ status: 200, json: getHealth(identity, query.challenge) }),
    getSource: () => ({ status: 200, json: getSource(ports) }),
    getRuntime: async () => ({ status: 200, json: await getRuntime(ports, identity) }),
    getOpenApi: () => {
      openApi ??= toWire({ ...openApiDocument({ version: identity.version }) })
      return { status: 200, json: openApi }
    },
  }
}

const holdFor = (seconds: number, caller: Caller): Hold => ({ ms: seconds * 1_000, begin: caller.hold })

const preferenceApplied = (seconds: number, wasHeld: boolean): Record<string, string> =>
  wasHeld ? { 'preference-applied': `wait=${seconds}` } : {}
