// One call of `activate` on its way: cut into legs that fit into a message, and put together again.

import type { Command, TurnOutput } from '../engine/turn.ts'
import type { ResultMessage } from './host-messages.ts'
import type { Activation, ActivationResult, ActivationTurn } from './program-hosts.ts'
import { DELIVERY_KINDS, type ActivationMessage, type TurnMessage } from './protocol.ts'
import { commandsText, isCommand, readTurn } from './turn-text.ts'

export type Task = {
  readonly activation: Activation
  readonly resolve: (result: ActivationResult) => void
  readonly reject: (error: Error) => void
  /** Told once, when it leaves the shared host for one of its own. */
  readonly onAlone: () => void
  /** Turns of the activation that earlier legs have run. */
  turnsRun: number
  /** Turns in the leg that is under way, and the characters of its payloads. */
  legTurns: number
  legChars: number
  outputs: TurnOutput[]
  /** Whether the leg that is under way replays journalled turns only. */
  legIsReplay: boolean
  /** It may have been what silenced a host: the next one says so before it runs it. */
  isSuspect: boolean
  /** How often a long replay had to begin again because its image was gone. */
  restarts: number
}

const LEG_TURNS = 2000
const LEG_CHARS = 2 * 1024 * 1024
const MOST_RESTARTS = 3

export const createTask = (
  activation: Activation,
  resolve: (result: ActivationResult) => void,
  reject: (error: Error) => void,
  onAlone: () => void,
): Task => ({
  activation,
  resolve,
  reject,
  onAlone,
  turnsRun: 0,
  legTurns: 0,
  legChars: 0,
  outputs: [],
  legIsReplay: false,
  isSuspect: false,
  restarts: 0,
})

export const turnMessage = ({ delivery, expected }: ActivationTurn): TurnMessage => [
  DELIVERY_KINDS[delivery.kind],
  delivery.at,
  'command' in delivery ? delivery.command : 0,
  'data' in delivery ? delivery.data : null,
  expected === undefined ? null : commandsText(expected),
]

const sizeOf = ([, , , data, expected]: TurnMessage): number => (data?.length ?? 0) + (expected?.length ?? 0)

export type LegRules = {
  /** Journalled turns and live ones go in legs of their own, so that it is known which of them met a bound. */
  readonly separatesReplay: boolean
  readonly isAnnounced: boolean
}

/** The next leg. */
export const legMessage = (task: Task, sequence: number, rules: LegRules): ActivationMessage => {
  const { executionId, programId, versionNumber, versionId, turnsDone, turns } = task.activation
  const isReplay = turns[task.turnsRun]?.expected !== undefined
  const leg: TurnMessage[] = []
  let chars = 0
  for (let at = task.turnsRun; at < turns.length && leg.length < LEG_TURNS && chars < LEG_CHARS; at++) {
    const turn = turns[at]
    if (turn === undefined || (rules.separatesReplay && isReplay && turn.expected === undefined)) break
    const message = turnMessage(turn)
    leg.push(message)
    chars += sizeOf(message)
  }
  task.legTurns = leg.length
  task.legChars = chars
  task.legIsReplay = rules.separatesReplay && isReplay
  const firstTurn = turnsDone + task.turnsRun
  return [sequence, executionId, programId, versionNumber, versionId, firstTurn, leg, rules.isAnnounced]
}

/** From its first turn; where that is not turn 0, the image it needs is gone. */
export const restartTask = (task: Task): ActivationResult | undefined => {
  if (task.activation.turnsDone > 0) return { kind: 'image_missing' }
  task.turnsRun = 0
  task.outputs = []
  return undefined
}

export type Step =
  | { readonly kind: 'finished'; readonly result: ActivationResult }
  /** There is another leg, or the same again. */
  | { readonly kind: 'again' }

const readRan = (task: Task, texts: readonly string[]): Step => {
  const live = task.activation.turns.slice(task.turnsRun, task.turnsRun + task.legTurns)
  if (texts.length > live.length) throw new Error('A host answered with more turns than it was given')
  for (const text of texts) task.outputs.push(readTurn(text))
  task.turnsRun += task.legTurns
  const hasEnded = (task.outputs.at(-1)?.outcome.kind ?? 'suspended') !== 'suspended'
  return hasEnded || task.turnsRun >= task.activation.turns.length
    ? { kind: 'finished', result: { kind: 'ran', turns: task.outputs } }
    : { kind: 'again' }
}

type Divergence = Extract<ResultMessage, readonly [number, 'diverged', unknown]>[2]

const readDiverged = (task: Task, { turn, index, found, ended, stack }: Divergence): Step => {
  const expected = task.activation.turns[turn - task.activation.turnsDone]?.expected?.[index]
  const [operation] = readTurn(found).operations
  const command: Command | undefined = operation !== undefined && isCommand(operation) ? operation : undefined
  const other = command ?? (ended === '' ? undefined : ({ kind: 'ended', message: ended } as const))
  return {
    kind: 'finished',
    result: {
      kind: 'diverged',
      turn,
      ...(expected === undefined ? {} : { expected }),
      ...(other === undefined ? {} : { found: other }),
      ...(stack === '' ? {} : { stack }),
    },
  }
}

const readMissing = (task: Task): Step => {
  task.restarts++
  const result: ActivationResult = { kind: 'image_missing' }
  if (task.turnsRun === 0 || task.restarts > MOST_RESTARTS) return { kind: 'finished', result }
  const gone = restartTask(task)
  return gone === undefined ? { kind: 'again' } : { kind: 'finished', result: gone }
}

/** Throws when the host said what it cannot mean. The lanes decide where a task goes that is to run `again`. */
export const readResult = (task: Task, message: ResultMessage): Step => {
  switch (message[1]) {
    case 'ran':
      return readRan(task, message[2])
    case 'diverged':
      return readDiverged(task, message[2])
    case 'image_missing':
      return readMissing(task)
    case 'over_bound':
      return { kind: 'finished', result: { kind: 'image_missing' } }
    case 'abandoned':
    case 'sent_back':
    case 'program_missing':
      return { kind: 'again' }
  }
}
