// Runs Programs in this process, without hosts. The runner gets the messages that a host would get.

import type { Command, Delivery, Operation, TurnOutput } from '../engine/turn.ts'
import type { ResultMessage } from './host-messages.ts'
import type { HostParts } from './host-parts.ts'
import { makeHostParts } from './make-host-parts.ts'
import {
  createJob,
  createProgramRunner,
  type Watches,
  type ProgramRunner,
  type RunnerLimits,
} from './program-runner.ts'
import { turnMessage } from './task.ts'
import { isCommand, readTurn } from './turn-text.ts'

const MIB = 1024 * 1024
export const START_AT = Date.parse('2026-03-01T12:00:00.000Z')

const madeParts = makeHostParts()

const UNLIMITED: Watches = { turn: () => () => undefined, load: () => () => undefined }

/** Each live turn seems to take 1 ms. */
const createCounter = (): (() => number) => {
  let ms = 0
  return () => (ms += 1)
}

const LIMITS: RunnerLimits = {
  slots: 2,
  outputChars: 64 * MIB,
  templateBytes: 64 * MIB,
  programBytes: 64 * MIB,
  imageBytes: 64 * MIB,
}

export type DeliveryInput = {
  readonly [Kind in Delivery['kind']]: Omit<Extract<Delivery, { kind: Kind }>, 'at'>
}[Delivery['kind']]

export type RanTurn = { readonly delivery: Delivery; readonly output: TurnOutput }

export const commandsOf = (output: TurnOutput): readonly Command[] => output.operations.filter(isCommand)

export const logsOf = (output: TurnOutput): readonly { readonly level: string; readonly message: string }[] =>
  output.operations.flatMap((operation: Operation) =>
    operation.kind === 'log' ? [JSON.parse(operation.data) as { level: string; message: string }] : [],
  )

/** The value that a Program returned. */
export const resultOf = (output: TurnOutput): unknown => {
  const { outcome } = output
  if (outcome.kind !== 'completed') throw new Error(`Not completed: ${JSON.stringify(outcome)}`)
  return (JSON.parse(outcome.data) as { result?: unknown }).result
}

export const errorOf = (output: TurnOutput) => {
  const { outcome } = output
  if (outcome.kind !== 'failed') throw new Error(`Not failed: ${JSON.stringify(outcome)}`)
  return outcome.error
}

/** One Execution that a test drives. It records its turns so that they can be replayed. */
export class RiggedExecution {
  readonly id: string
  readonly turns: RanTurn[] = []
  readonly #runner: ProgramRunner
  readonly #versionId: string
  readonly #tenant: string
  #sequence = 0
  at = START_AT

  constructor(runner: ProgramRunner, versionId: string, id: string, tenant: string) {
    this.#runner = runner
    this.#versionId = versionId
    this.#tenant = tenant
    this.id = id
  }

  get last(): TurnOutput {
    const output = this.turns.at(-1)?.output
    if (output === undefined) throw new Error('Not started')
    return output
  }

  /** Replays the earlier turns when the image is gone. */
  deliver(delivery: DeliveryInput): TurnOutput {
    const full = { ...delivery, at: (this.at += 1000) } as Delivery
    let result = this.activate(this.turns.length, [{ delivery: full }])
    if (result[1] === 'image_missing') result = this.activate(0, [...this.#history(), { delivery: full }])
    if (result[1] !== 'ran') throw new Error(`Not run: ${JSON.stringify(result)}`)
    const [text = ''] = result[2]
    const output = readTurn(text)
    this.turns.push({ delivery: full, output })
    return output
  }

  activate(
    turnsDone: number,
    turns: readonly { readonly delivery: Delivery; readonly expected?: readonly Command[] }[],
  ): ResultMessage {
    const messages = turns.map(turnMessage)
    const [sequence, tenant] = [++this.#sequence, this.#tenant]
    const job = createJob([sequence, this.id, 'program', 1, this.#versionId, turnsDone, messages, false, tenant])
    for (;;) {
      const result = this.#runner.run(job, () => true)
      if (result !== undefined) return result
    }
  }

  /** Runs the first turn again in a fresh image. */
  again(): TurnOutput {
    const [first] = this.turns
    const result = first === undefined ? undefined : this.activate(0, [{ delivery: first.delivery }])
    if (result?.[1] !== 'ran') throw new Error(`Not run: ${JSON.stringify(result)}`)
    return readTurn(result[2][0] ?? '')
  }

  /** Replays all turns so far. */
  replay(): ResultMessage {
    return this.activate(0, this.#history())
  }

  #history() {
    return this.turns.map(({ delivery, output }) => ({ delivery, expected: commandsOf(output) }))
  }

  start(input?: unknown): TurnOutput {
    return this.deliver({ kind: 'start', data: JSON.stringify({ input }) })
  }

  event(command: number, payload?: unknown, name = 'event'): TurnOutput {
    const data = JSON.stringify({ id: 'evt_1', payload })
    return this.deliver({ kind: 'event', command, name, source: 1, eventId: 'evt_1', data })
  }

  timer(command: number): TurnOutput {
    return this.deliver({ kind: 'timer', command })
  }

  timeout(command: number): TurnOutput {
    return this.deliver({ kind: 'wait_timeout', command, name: 'event' })
  }

  effectResult(command: number, result?: unknown): TurnOutput {
    return this.deliver({
      kind: 'effect_result',
      command,
      name: 'effect',
      attempt: 1,
      data: JSON.stringify({ result }),
    })
  }

  effectFailure(command: number, error: { code: string; message: string; name?: string; stack?: string }): TurnOutput {
    return this.deliver({
      kind: 'effect_failure',
      command,
      name: 'effect',
      attempt: 1,
      data: JSON.stringify({ error }),
    })
  }

  cancel(): TurnOutput {
    return this.deliver({ kind: 'cancel' })
  }
}

export type Rig = {
  readonly runner: ProgramRunner
  /** The Program is the body of `run`: `ctx` and `input` are in scope. */
  program(body: string, tenant?: string): RiggedExecution
  artifact(code: string, sourceMap?: string, executionId?: string, tenant?: string): RiggedExecution
}

export const createRig = (
  limits: Partial<RunnerLimits> = {},
  watches: Watches = UNLIMITED,
  parts: HostParts = madeParts,
): Rig => {
  const runner = createProgramRunner(parts, { ...LIMITS, ...limits }, watches, createCounter())
  const versions = new Map<string, string>()
  let executions = 0
  const artifact: Rig['artifact'] = (code, sourceMap = '', executionId = `exe_${++executions}`, tenant = '') => {
    const key = `${tenant} ${code}`
    const versionId = versions.get(key) ?? `ver_${versions.size + 1}`
    versions.set(key, versionId)
    runner.addProgram(versionId, tenant, code, sourceMap)
    return new RiggedExecution(runner, versionId, executionId, tenant)
  }
  const program: Rig['program'] = (body, tenant) =>
    artifact(`({ run: async (ctx, input) => { ${body} } })`, undefined, undefined, tenant)
  return { runner, artifact, program }
}
