// The commands that start an Execution, act on it, and read its result.

import {
  type CancelReceipt,
  executionHandle,
  type ResultView,
  type ServiceClient,
  ServiceRuntimeError,
} from '#sdk/index.ts'
import { detailOf } from './columns.ts'
import { fieldsOfEnd, statusField } from './execution-fields.ts'
import { CommandFailure, printFailure, UsageError } from './failures.ts'
import { waitAgain, waitCommand } from './hints.ts'
import { sayingIfInterrupted } from './interrupt.ts'
import { readJsonArgument } from './json-argument.ts'
import { printAnswer, readAnswer, READ_LIMIT_MS, type Session } from './session.ts'
import { shellWord } from './shell-word.ts'
import { hasEnded } from './statuses.ts'
import { renderFields } from './table.ts'
import { printable } from './text.ts'
import { noteOnUnawaited } from './unawaited-event.ts'

/** 1 if the command waited for an Execution that failed or was cancelled, else 0. */
export type ExitCode = 0 | 1

export type WaitFlags = { readonly wait?: true; readonly timeout?: number }

export type SendFlags = { readonly idempotencyKey?: string }

export type RunAgainFlags = WaitFlags & {
  readonly version?: number
  readonly idempotencyKey?: string
}

export type StartFlags = RunAgainFlags & { readonly input?: string }

export const start = async (session: Session, program: string, flags: StartFlags): Promise<ExitCode> => {
  refuseTimeoutAlone(flags)
  const input = flags.input === undefined ? undefined : await readJsonArgument('--input', flags.input, session.sources)
  return startNew(session, program, input, flags)
}

/** Starts an Execution of the same Program with the same input, in the same project. */
export const runAgain = async (session: Session, id: string, flags: RunAgainFlags): Promise<ExitCode> => {
  refuseTimeoutAlone(flags)
  const { projectId, programId, input } = await session.client.getExecution(id)
  return startNew(session.inProject(projectId), programId, input, flags, id)
}

const refuseTimeoutAlone = ({ wait, timeout }: WaitFlags): void => {
  if (timeout !== undefined && wait !== true) throw new UsageError('--timeout needs --wait')
}

const startNew = async (
  session: Session,
  program: string,
  input: unknown,
  flags: RunAgainFlags,
  againOf?: string,
): Promise<ExitCode> => {
  const { version, idempotencyKey } = flags
  if (flags.wait === true) {
    return startAndWait(session, program, input, { version, idempotencyKey, againOf, ...waitOptions(flags) })
  }
  const handle = await session.client.start(program, input, { version, idempotencyKey, againOf })
  if (session.json) await printAnswer(session)
  else await session.terminal.out(`${printable(handle.id)}\n`)
  if (session.terminal.hints && !session.json)
    session.terminal.err(`Read the result with: ${printable(waitCommand(handle.id))}\n`)
  return 0
}

const startAndWait = async (
  session: Session,
  program: string,
  input: unknown,
  options: NonNullable<Parameters<ServiceClient['run']>[2]>,
): Promise<ExitCode> => {
  const { client, terminal, json } = session
  const saysStart = terminal.hints && !json
  let id: string | undefined
  session.onceAnswered(({ text }) => {
    id = startedId(text)
    if (saysStart && id !== undefined) terminal.err(`${printable(id)} started\n`)
  })
  const sayInterrupted = async (): Promise<void> => {
    const printed = printFailure(id === undefined ? interruptedStart(program) : interrupted(id))
    if (json) await terminal.out(printed.json)
    terminal.err(printed.text)
  }
  try {
    const run = () => sayingIfInterrupted(sayInterrupted, () => client.run(program, input, options))
    const exitCode = await printEnd(session, run)
    if (exitCode !== 0 && !saysStart && id !== undefined) terminal.err(`${printable(id)} started\n`)
    return exitCode
  } catch (error) {
    if (!saysStart) sayStarted(error, session)
    throw error
  }
}

const interrupted = (id: string): CommandFailure =>
  new CommandFailure('interrupted', `Execution ${id} had not ended when the wait was interrupted`, {
    hint: waitAgain(id),
    executionId: id,
  })

const interruptedStart = (program: string): CommandFailure =>
  new CommandFailure(
    'interrupted',
    'The start was interrupted before it was answered: an Execution may have been started',
    {
      hint: `\`wes executions --program-id ${shellWord(program)}\` lists the newest first.`,
    },
  )

/** Otherwise, the Execution of a wait that failed could not be found again. The hint of a timeout names it. */
const sayStarted = (error: unknown, { terminal }: Session): void => {
  if (!(error instanceof ServiceRuntimeError) || error.code === 'wait_timeout') return
  if (error.executionId !== undefined) terminal.err(`${printable(error.executionId)} started\n`)
}

/** None if another server answered; the client says so. */
const startedId = (text: string): string | undefined => {
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown }
    return typeof id === 'string' ? id : undefined
  } catch {
    return undefined
  }
}

export const result = async (session: Session, id: string, flags: WaitFlags): Promise<ExitCode> => {
  if (flags.wait === true) {
    return printEnd(session, () => executionHandle(session.client, id).result(waitOptions(flags)))
  }
  refuseTimeoutAlone(flags)
  const view = await session.client.getResult(id)
  if (session.json) await printAnswer(session)
  else await session.terminal.out(renderView(view, session, await detailOfUnfinished(session, id, view)))
  return 0
}

/** What the Execution waits for, as lists show it. None if it has ended, or if nothing more can be read. */
const detailOfUnfinished = async (session: Session, id: string, { status }: ResultView): Promise<string> => {
  if (hasEnded(status)) return ''
  try {
    const execution = await session.inProject(undefined, READ_LIMIT_MS).client.getExecution(id)
    return execution.status === status ? detailOf(execution, { now: Date.now(), iso: session.iso }) : ''
  } catch {
    return ''
  }
}

const waitOptions = ({ timeout }: WaitFlags) =>
  timeout === undefined ? {} : { timeout: Math.max(1, Math.round(timeout * 1000)) }

/** Of a wait for a result. */
export const exitCodeOf = async (wait: Promise<unknown>): Promise<ExitCode> => {
  try {
    await wait
    return 0
  } catch (error) {
    const ended =
      error instanceof ServiceRuntimeError && ['execution_failed', 'execution_cancelled'].includes(error.code)
    if (!ended) throw error
    return 1
  }
}

const printEnd = async (session: Session, wait: () => Promise<unknown>): Promise<ExitCode> => {
  const exitCode = await exitCodeOf(wait())
  const view = JSON.parse(session.lastAnswer().text) as ResultView & { readonly id?: string }
  const { status, result, error } = view
  if (!session.json) await session.terminal.out(renderView(view, session))
  else if (view.id === undefined) await printAnswer(session)
  // A quick run is answered with the whole Execution.
  else await session.terminal.out(`${JSON.stringify({ status, result, error })}\n`)
  return exitCode
}

const renderView = (view: ResultView, session: Session, detail = ''): string =>
  readAnswer(() =>
    renderFields([statusField(view), ['detail', detail === '' ? undefined : printable(detail)], ...fieldsOfEnd(view)], {
      colour: session.terminal.outColour,
    }),
  )

export const send = async (
  session: Session,
  id: string,
  name: string,
  payload: string | undefined,
  { idempotencyKey }: SendFlags,
): Promise<ExitCode> => {
  const value = payload === undefined ? undefined : await readJsonArgument('JSON', payload, session.sources)
  // Read before, because the Program may wait for something else as soon as it has the event.
  const note = session.json ? undefined : await noteOnUnawaited(session, id, name)
  await session.client.sendEvent(id, name, value, { idempotencyKey })
  if (session.json) await printAnswer(session)
  else await session.terminal.out(`sent ${printable(name)} to ${printable(id)}\n`)
  if (note !== undefined) session.terminal.err(`${printable(note)}\n`)
  return 0
}

/** Fires a timer, or times out a wait, now. */
export const fire = (session: Session, id: string, command: number): Promise<ExitCode> =>
  printDueNow(session, id, command, session.client.fireCommand(id, command))

/** Makes the next attempt of an effect now. */
export const retry = (session: Session, id: string, command: number): Promise<ExitCode> =>
  printDueNow(session, id, command, session.client.retryCommand(id, command))

const printDueNow = async (
  session: Session,
  id: string,
  command: number,
  accepted: Promise<unknown>,
): Promise<ExitCode> => {
  await accepted
  if (session.json) await printAnswer(session)
  else await session.terminal.out(`command ${command} of ${printable(id)} is due now\n`)
  return 0
}

export const cancel = async (session: Session, id: string): Promise<ExitCode> => {
  const receipt: Partial<CancelReceipt> | undefined = await session.client.cancelExecution(id)
  if (session.json) await printAnswer(session)
  else await session.terminal.out(`${printable(id)} is ${printable(receipt?.status ?? 'cancelling')}\n`)
  return 0
}
