// The handlers of the operations that every home serves: each calls its operation and sets the status.

import type { OpenOperation, SharedOperation } from '../contract/operations.ts'
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
import { getHistory } from '../operations/get-history.ts'
import { getMetrics } from '../operations/get-metrics.ts'
import { getProgram } from '../operations/get-program.ts'
import { getResult, type Hold } from '../operations/get-result.ts'
import { listErrors } from '../operations/list-errors.ts'
import { listExecutions } from '../operations/list-executions.ts'
import { listPrograms } from '../operations/list-programs.ts'
import { listProjects } from '../operations/list-projects.ts'
import { listVersions } from '../operations/list-versions.ts'
import { listWaiting } from '../operations/list-waiting.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { sendEvent } from '../operations/send-event.ts'
import { startBulk } from '../operations/start-bulk.ts'
import { showHeld, startExecution } from '../operations/start-execution.ts'
import { streamChanges } from '../operations/stream-changes.ts'
import type { Caller, Handlers } from './handler.ts'
import { preferredWait } from './preferences.ts'

export const sharedHandlers: Handlers<Exclude<SharedOperation, OpenOperation>, OperationPorts> = {
  listProjects: async (ports) => ({ status: 200, json: await listProjects(ports) }),
  createProject: async (ports, { body }) => ({ status: 201, json: await createProject(ports, body) }),
  deployProgram: async (ports, { body, projectId }) => {
    const { kind, program } = await deployProgram(ports, { projectId, artifact: body })
    return { status: kind === 'created' ? 201 : 200, json: program }
  },
  listPrograms: async (ports, { query, projectId }) => ({
    status: 200,
    json: await listPrograms(ports, { projectId, page: query }),
  }),
  getProgram: async (ports, { params, projectId }) => ({
    status: 200,
    json: await getProgram(ports, { id: params.id, projectId }),
  }),
  listVersions: async (ports, { params, query, projectId }) => ({
    status: 200,
    json: await listVersions(ports, { id: params.id, projectId, page: query }),
  }),
  getArtifact: async (ports, { params, projectId }) => ({
    status: 200,
    json: await getArtifact(ports, { id: params.id, number: params.number, projectId }),
  }),
  deleteVersion: async (ports, { params, projectId }) => {
    await deleteVersion(ports, { ...params, projectId })
    return { status: 204 }
  },
  startExecution: async (ports, { body, headers, projectId }, caller) => {
    const idempotencyKey = headers['idempotency-key']
    const hold = holdFor(headers.prefer, caller)
    const outcome = await startExecution(ports, { projectId, idempotencyKey, body })
    const status = outcome.kind === 'started' ? 201 : 200
    const location = `/v1/executions/${outcome.head.id}`
    if (hold === undefined) return { status, json: outcome.show(), headers: { location } }
    const { answer, wasHeld } = await showHeld(ports, outcome, hold)
    return { status, json: answer, headers: { location, ...preferenceApplied(hold, wasHeld) } }
  },
  listExecutions: async (ports, { query, projectId }) => ({
    status: 200,
    json: await listExecutions(ports, { projectId, page: query, filter: query }),
  }),
  countExecutions: async (ports, { query, projectId }) => ({
    status: 200,
    json: await countExecutions(ports, { projectId, filter: query }),
  }),
  getExecution: async (ports, { params, projectId }) => ({
    status: 200,
    json: await getExecution(ports, { id: params.id, projectId }),
  }),
  deleteExecution: async (ports, { params, projectId }) => {
    await deleteExecution(ports, { id: params.id, projectId })
    return { status: 204 }
  },
  sendEvent: async (ports, { params, body, headers, projectId }) => {
    const idempotencyKey = headers['idempotency-key']
    return { status: 202, json: await sendEvent(ports, { id: params.id, projectId, idempotencyKey, event: body }) }
  },
  cancelExecution: async (ports, { params, projectId }) => ({
    status: 202,
    json: await cancelExecution(ports, { id: params.id, projectId }),
  }),
  fireCommand: async (ports, { params, projectId }) => ({
    status: 202,
    json: await actEarly(ports, 'fire', { ...params, projectId }),
  }),
  retryCommand: async (ports, { params, projectId }) => ({
    status: 202,
    json: await actEarly(ports, 'retry', { ...params, projectId }),
  }),
  getResult: async (ports, { params, headers, projectId }, caller) => {
    const hold = holdFor(headers.prefer, caller)
    const { answer, wasHeld } = await getResult(ports, { id: params.id, projectId }, hold)
    return { status: 200, json: answer, ...(hold !== undefined && { headers: preferenceApplied(hold, wasHeld) }) }
  },
  getHistory: async (ports, { params, query, projectId }) => ({
    status: 200,
    json: await getHistory(ports, { id: params.id, projectId, page: query }),
  }),
  startBulk: async (ports, { body, projectId }) => ({ status: 202, json: await startBulk(ports, { projectId, body }) }),
  getBulk: async (ports, { params }) => ({ status: 200, json: await getBulk(ports, params.id) }),
  stopBulk: async (ports, { params }) => ({ status: 202, json: await stopBulk(ports, params.id) }),
  listWaiting: async (ports, { query, projectId }) => ({
    status: 200,
    json: await listWaiting(ports, { projectId, page: query }),
  }),
  listErrors: async (ports, { query, projectId }) => ({
    status: 200,
    json: await listErrors(ports, { projectId, programId: query.programId, page: query }),
  }),
  getMetrics: async (ports, { query, projectId }) => ({
    status: 200,
    json: await getMetrics(ports, { projectId, query }),
  }),
  streamChanges: async (ports, { headers, projectId }) => ({
    status: 200,
    stream: await streamChanges(ports, { projectId, lastEventId: headers['last-event-id'] }),
  }),
}

type PreferredHold = Hold & { readonly seconds: number }

/** The seconds count from when the request has arrived. */
const holdFor = (prefer: string | undefined, caller: Caller): PreferredHold | undefined => {
  const seconds = preferredWait(prefer)
  if (seconds === undefined) return undefined
  const endsAt = performance.now() + seconds * 1_000
  return { seconds, msLeft: () => endsAt - performance.now(), begin: caller.hold }
}

const preferenceApplied = ({ seconds }: PreferredHold, wasHeld: boolean): Record<string, string> =>
  wasHeld ? { 'preference-applied': `wait=${seconds}` } : {}
