import { ApiError } from '../contract/errors.ts'
import type { Execution, NewExecution } from '../contract/models.ts'
import type { WireJson } from '../contract/wire-json.ts'
import type { JsonText } from '../engine/journal.ts'
import type { VersionRecord } from '../store/store.ts'
import { bodyHash } from './canonical-json.ts'
import { chooseProject } from './choose-project.ts'
import { findHead, readAgain } from './find-execution.ts'
import { unknownProgram } from './find-program.ts'
import { jsonTextOf } from './json-text-of.ts'
import type { OperationPorts } from './operation-ports.ts'
import { showExecution, showStarted } from './show-execution.ts'

type StartPorts = Pick<OperationPorts, 'store' | 'worker' | 'ids' | 'now' | 'schemas'>

export type StartRequest = {
  readonly projectId: string | undefined
  readonly idempotencyKey: string | undefined
  readonly body: NewExecution
}

export type StartOutcome = {
  readonly kind: 'started' | 'repeated'
  readonly id: string
  readonly key: number
  readonly execution: WireJson<Execution>
}

export const startExecution = async (ports: StartPorts, request: StartRequest): Promise<StartOutcome> => {
  const { store } = ports
  const projectId = chooseProject(ports, request.projectId)
  const idempotency =
    request.idempotencyKey === undefined ? undefined : { key: request.idempotencyKey, bodyHash: bodyHash(request.body) }
  if (idempotency !== undefined) {
    const before = store.executions.startedWith(projectId, idempotency.key)
    if (before !== undefined) return before.bodyHash === idempotency.bodyHash ? repeated(ports, before.key) : conflict()
  }

  const version = versionToStart(ports, projectId, request.body)
  const data = inputData(ports, version, request.body)
  const againOf = originOf(ports, request)
  const outcome = await ports.worker.startExecution({
    id: ports.ids('exe'),
    projectId,
    programId: version.programId,
    versionId: version.id,
    versionNumber: version.number,
    createdAt: ports.now(),
    data,
    ...(againOf !== undefined && { againOf }),
    ...(idempotency !== undefined && { idempotency }),
  })
  if (outcome.kind === 'version_gone') return startExecution(ports, request)
  if (outcome.kind === 'conflict') return conflict()
  if (outcome.kind === 'repeated') return repeated(ports, outcome.key)
  return { kind: 'started', id: outcome.head.id, key: outcome.head.key, execution: showStarted(outcome.head, data) }
}

const versionToStart = ({ store }: StartPorts, projectId: string, body: NewExecution): VersionRecord => {
  const { programId } = body
  const version =
    body.version === undefined
      ? store.programs.newestRunnable(projectId, programId)
      : store.programs.version(projectId, programId, body.version)
  if (version?.runnable) return version
  if (store.programs.get(projectId, programId) === undefined) throw unknownProgram(projectId, programId)
  if (body.version !== undefined && version === undefined) {
    throw new ApiError('version_not_found', `Program ${programId} has no version ${body.version}.`)
  }
  const which = body.version === undefined ? 'no version' : `version ${body.version}, which is not one`
  throw new ApiError(
    'program_not_runnable',
    `Program ${programId} has ${which} that this runtime may run. Programs with effects run from their project's source.`,
  )
}

/** The Execution that is run again has to be there. */
const originOf = (ports: StartPorts, { projectId, body: { againOf } }: StartRequest): string | undefined =>
  againOf === undefined ? undefined : findHead(ports, { id: againOf, projectId }).id

/** `{ input? }`, checked against what the Program declares. */
const inputData = ({ schemas }: StartPorts, version: VersionRecord, body: NewExecution): JsonText => {
  const text = Object.hasOwn(body, 'input') ? jsonTextOf('input', body.input) : undefined
  schemas.checkInput(version, body.input, text)
  return text === undefined ? '{}' : `{"input":${text}}`
}

const repeated = ({ store }: StartPorts, key: number): StartOutcome => {
  const record = readAgain(store, key)
  return { kind: 'repeated', id: record.head.id, key, execution: showExecution(store, record) }
}

export const conflict = (): never => {
  throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used with another body.')
}
