import { ApiError, type ErrorCode } from '../contract/errors.ts'
import type { Execution, NewExecution } from '../contract/models.ts'
import type { WireJson } from '../contract/wire-json.ts'
import type { ExecutionHead, TriggerReference } from '../engine/execution-state.ts'
import { isTerminal, type JsonText } from '../engine/journal.ts'
import type { SentKey } from '../ports/executions.ts'
import type { VersionRecord } from '../ports/programs.ts'
import { bodyHash } from './canonical-json.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'
import { findHead } from './find-execution.ts'
import { unknownProgram } from './find-program.ts'
import { untilTerminal, type Held, type Hold } from './get-result.ts'
import { isUnavailable } from './is-unavailable.ts'
import { jsonTextOf } from './json-text-of.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { showEnded, showExecution, showStarted } from './show-execution.ts'

type StartPorts = ProjectPorts & Pick<OperationPorts, 'worker' | 'ids' | 'now' | 'schemas' | 'runsUploadedEffects'>

export type StartRequest = {
  readonly projectId: string | undefined
  readonly idempotencyKey: string | undefined
  readonly body: NewExecution
  /** The Trigger that starts it. */
  readonly trigger?: TriggerReference
  /** When that had been changed last: rejects with a TriggerChangedError if it was changed or removed since. */
  readonly triggerUpdatedAt?: number
  /** Names a start that no caller asks for: starts of the same name start one Execution within 24 h, whatever the body is. */
  readonly once?: string
}

/** Nothing was started. */
export class TriggerChangedError extends Error {
  override readonly name = 'TriggerChangedError'
}

export type StartOutcome = {
  readonly kind: 'started' | 'repeated'
  readonly head: ExecutionHead
  /** The Execution as it was at the start. */
  readonly show: () => WireJson<Execution>
}

/** What the project's source may bring. */
const MISSING: ReadonlySet<ErrorCode> = new Set([
  'project_not_found',
  'program_not_found',
  'program_not_runnable',
  'version_not_found',
])

export const startExecution = async (ports: StartPorts, request: StartRequest): Promise<StartOutcome> => {
  try {
    return await startOrRepeat(ports, request)
  } catch (error) {
    const isMissing = error instanceof ApiError && MISSING.has(error.code)
    if (!isMissing || (await ports.sourceRead?.()) !== true) throw error
    return startOrRepeat(ports, request)
  }
}

const startOrRepeat = async (ports: StartPorts, request: StartRequest): Promise<StartOutcome> => {
  const projectId = await chooseProject(ports, request.projectId)
  const idempotency = sentKeyOf(request)
  try {
    return await startNew(ports, { ...request, projectId }, idempotency)
  } catch (error) {
    if (idempotency === undefined || !(error instanceof ApiError)) throw error
    // Answer the Execution that was started with the key, even if the Program was removed since.
    const before = await ports.store.executions.startedWith(projectId, idempotency.key)
    if (before === undefined) throw error
    if (before.bodyHash !== idempotency.bodyHash) return conflict()
    const outcome = await repeated(ports, before.key)
    if (outcome === undefined) throw error
    return outcome
  }
}

/** The Execution, not before it ended, the time is up, the caller is gone or all stops; as it was started, if it cannot be read then. */
export const showHeld = async (
  ports: Pick<OperationPorts, 'store' | 'changes'>,
  started: StartOutcome,
  hold: Hold,
): Promise<Held<WireJson<Execution>>> =>
  (await unlessUnavailable(() => showLater(ports, started, hold))) ?? { answer: started.show(), wasHeld: false }

/** What has been stored is acknowledged, also if nothing can be read now: a caller who got an error would start it again. */
const unlessUnavailable = async <Read>(read: () => Read | Promise<Read>): Promise<Read | undefined> => {
  try {
    return await read()
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return undefined
  }
}

const showLater = async (
  ports: Pick<OperationPorts, 'store' | 'changes'>,
  { head, show }: StartOutcome,
  hold: Hold,
): Promise<Held<WireJson<Execution>>> => {
  // What has ended changes no more, so it is not read again.
  if (isTerminal(head.status)) return { answer: show(), wasHeld: true }
  const { wasHeld, refusal, outcome } = await untilTerminal(ports, head, hold)
  // It was started all the same.
  if (refusal !== undefined) return { answer: show(), wasHeld: false }
  const whole = await ports.store.executions.whole(head.key)
  if (whole !== undefined) return { answer: showExecution(whole), wasHeld }
  // If it was deleted since, it was started all the same.
  return { answer: outcome === undefined ? show() : showEnded(show(), outcome), wasHeld }
}

const startNew = async (
  ports: StartPorts,
  request: StartRequest & { readonly projectId: string },
  idempotency: SentKey | undefined,
  isAgain = false,
): Promise<StartOutcome> => {
  const { projectId, body } = request
  const isNewest = body.version === undefined
  const version = await versionToStart(ports, projectId, body, isAgain)
  let data: JsonText
  try {
    data = await inputData(ports, version, body)
  } catch (error) {
    if (!isNewest || isAgain) throw error
    // A newer version may accept the input.
    const newest = await versionToStart(ports, projectId, body, true)
    if (newest.id === version.id) throw error
    return startNew(ports, request, idempotency, true)
  }
  const againOf = body.againOf === undefined ? undefined : await originOf(ports, request)
  const outcome = await ports.worker.startExecution({
    id: ports.ids('exe'),
    projectId,
    programId: version.programId,
    versionId: version.id,
    versionNumber: version.number,
    isNewest,
    createdAt: ports.now(),
    data,
    ...(againOf !== undefined && { againOf }),
    ...(request.trigger !== undefined && { trigger: request.trigger }),
    ...(request.triggerUpdatedAt !== undefined && { triggerUpdatedAt: request.triggerUpdatedAt }),
    ...(idempotency !== undefined && { idempotency }),
  })
  if (outcome.kind === 'version_gone') return startNew(ports, request, idempotency, true)
  if (outcome.kind === 'trigger_changed') throw new TriggerChangedError(`${request.trigger?.id} has changed`)
  if (outcome.kind === 'conflict') return conflict()
  if (outcome.kind === 'repeated') {
    // The key of an Execution that was deleted since was never sent.
    return (await repeated(ports, outcome.key)) ?? startNew(ports, request, idempotency, isAgain)
  }
  const { head } = outcome
  if (head.status === 'queued') return { kind: 'started', head, show: () => showStarted(head, data) }
  // Its first turn was committed with the start.
  const whole = outcome.whole ?? (await unlessUnavailable(() => ports.store.executions.whole(head.key)))
  return {
    kind: 'started',
    head: whole?.head ?? head,
    show: () => (whole === undefined ? showStarted(head, data) : showExecution(whole)),
  }
}

/** No header can carry the first character of such a name's key, so no caller of the API has the same key. */
const sentKeyOf = ({ idempotencyKey, body, once }: StartRequest): SentKey | undefined => {
  if (once !== undefined) return { key: `\u0001${once}`, bodyHash: 'once' }
  return idempotencyKey === undefined ? undefined : { key: idempotencyKey, bodyHash: bodyHash(body) }
}

const EFFECTS_RUN_FROM_SOURCE = " Programs with effects run from their project's source."
const SOURCE_IS_MISSING = ' Its source is missing, or belongs to another project now.'

const versionToStart = async (
  ports: StartPorts,
  projectId: string,
  body: NewExecution,
  isRead: boolean,
): Promise<VersionRecord> => {
  const { store } = ports
  const { programId } = body
  const version =
    body.version === undefined
      ? await store.programs.newestRunnable(projectId, programId, isRead)
      : await store.programs.version(projectId, programId, body.version)
  if (version?.runnable) return version
  const program = await store.programs.get(projectId, programId)
  if (program === undefined) throw unknownProgram(projectId, programId)
  if (body.version !== undefined && version === undefined) {
    throw new ApiError('version_not_found', `Program ${programId} has no version ${body.version}.`)
  }
  const which = body.version === undefined ? 'no version' : `version ${body.version}, which is not one`
  const { origin } = version ?? program.latestVersion
  const why = origin === 'source' ? SOURCE_IS_MISSING : ports.runsUploadedEffects ? '' : EFFECTS_RUN_FROM_SOURCE
  throw new ApiError('program_not_runnable', `Program ${programId} has ${which} that may run here.${why}`)
}

/** The Execution that is run again has to be there. */
const originOf = async (ports: StartPorts, { projectId, body }: StartRequest): Promise<string> =>
  (await findHead(ports, { id: body.againOf ?? '', projectId })).id

/** `{ input? }`, checked against what the Program declares. */
const inputData = async ({ schemas }: StartPorts, version: VersionRecord, body: NewExecution): Promise<JsonText> => {
  const text = Object.hasOwn(body, 'input') ? jsonTextOf('input', body.input) : undefined
  await schemas.checkInput(version, body.input, text)
  return text === undefined ? '{}' : `{"input":${text}}`
}

/** `undefined`: the Execution was deleted. */
const repeated = async ({ store }: StartPorts, key: number): Promise<StartOutcome | undefined> => {
  const whole = await store.executions.whole(key)
  return whole && { kind: 'repeated', head: whole.head, show: () => showExecution(whole) }
}

export const conflict = (): never => {
  throw new ApiError('idempotency_conflict', 'This Idempotency-Key was used with another body.')
}
