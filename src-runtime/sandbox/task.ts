// One call of `activate`, sent in parts that each fit into a message.

import type { Command, TurnOutput } from '../engine/turn.ts'
import type { ResultMessage } from './host-messages.ts'
import { hasEnded, type Activation, type ActivationResult, type ActivationTurn } from './program-hosts.ts'
import { OUTPUT_CHARS } from './limits.ts'
import { DELIVERY_KINDS, LARGE_CHARS, type ActivationMessage, type TurnMessage } from './protocol.ts'
import type { Owner } from './tenant-queue.ts'
import { commandsText, isCommand, readTurn } from './turn-text.ts'

export type Task = {
  readonly activation: Activation
  readonly resolve: (result: ActivationResult) => void
  readonly reject: (error: Error) => void
  /** Called once, when the task leaves the shared host for one of its own. */
  readonly onAlone: () => void
  /** Number of turns that earlier parts have run. */
  turnsRun: number
  /** Turns of the running part, and characters of its payloads. */
  partTurns: number
  partChars: number
  /** Characters of the code that was sent with the running part. */
  codeChars: number
  outputs: TurnOutput[]
  /** Characters of their texts. */
  outputChars: number
  /** How long they computed. */
  computeMs: number
  /** Whether the running part only replays journalled turns. */
  partIsReplay: boolean
  /** It may have blocked a host; the next host announces it before running it. */
  mayHaveSilencedHost: boolean
}

/** For taking turns. */
export const ownerOf = ({ activation }: Task): Owner => activation

const PART_TURNS = 2000
const PART_CHARS = 2 * 1024 * 1024

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
  partTurns: 0,
  partChars: 0,
  codeChars: 0,
  outputs: [],
  outputChars: 0,
  computeMs: 0,
  partIsReplay: false,
  mayHaveSilencedHost: false,
})

export const turnMessage = ({ delivery, expected }: ActivationTurn): TurnMessage => [
  DELIVERY_KINDS[delivery.kind],
  delivery.at,
  'command' in delivery ? delivery.command : 0,
  'data' in delivery ? delivery.data : null,
  expected === undefined ? null : commandsText(expected),
]

const sizeOf = ([, , , data, expected]: TurnMessage): number => (data?.length ?? 0) + (expected?.length ?? 0)

/** Whether it takes little room in a message: it replays nothing, and its deliveries are short. */
export const isSmall = ({ activation: { turns } }: Task): boolean => {
  let chars = 0
  return turns.every(({ delivery, expected }) => {
    if ('data' in delivery) chars += delivery.data.length
    return expected === undefined && chars <= LARGE_CHARS
  })
}

export type PartRules = {
  /** Puts journalled and live turns into separate parts, so that it is known which of them exceeded a limit. */
  readonly separatesReplay: boolean
  readonly isAnnounced: boolean
}

export const partMessage = (task: Task, sequence: number, rules: PartRules): ActivationMessage => {
  const { executionId, programId, versionNumber, versionId, turnsDone, turns, tenant = '' } = task.activation
  const isReplay = turns[task.turnsRun]?.expected !== undefined
  const part: TurnMessage[] = []
  let chars = 0
  for (let at = task.turnsRun; at < turns.length && part.length < PART_TURNS && chars < PART_CHARS; at++) {
    const turn = turns[at]
    if (turn === undefined || (rules.separatesReplay && isReplay && turn.expected === undefined)) break
    const message = turnMessage(turn)
    part.push(message)
    chars += sizeOf(message)
  }
  task.partTurns = part.length
  task.partChars = chars
  task.partIsReplay = rules.separatesReplay && isReplay
  const firstTurn = turnsDone + task.turnsRun
  return [sequence, executionId, programId, versionNumber, versionId, firstTurn, part, rules.isAnnounced, tenant]
}

/** Restarts at the activation's first turn. If that is not turn 0, its image is gone, and the result says so. */
export const restartTask = (task: Task): ActivationResult | undefined => {
  if (task.activation.turnsDone > 0) return { kind: 'image_missing' }
  task.turnsRun = 0
  task.outputs = []
  task.outputChars = 0
  task.computeMs = 0
  return undefined
}

export type Step =
  | { readonly kind: 'finished'; readonly result: ActivationResult }
  /** Another part must run, or the same one again. */
  | { readonly kind: 'again' }

const readRan = (task: Task, texts: readonly string[], computeMs: number): Step => {
  const part = task.activation.turns.slice(task.turnsRun, task.turnsRun + task.partTurns)
  const live = part.filter(({ expected }) => expected === undefined).length
  if (texts.length > part.length) throw new Error('A host answered with more turns than it was given')
  // The caller would give the same turns again without end.
  if (texts.length === 0 && live > 0) throw new Error('A host answered without a turn')
  for (const text of texts) {
    task.outputs.push(readTurn(text))
    task.outputChars += text.length
  }
  task.computeMs += computeMs
  task.turnsRun += task.partTurns
  const result = { kind: 'ran', turns: task.outputs, computeMs: task.computeMs } as const
  // A host ends a part early when the output of its live turns is large.
  const isCut = texts.length < live || task.outputChars >= OUTPUT_CHARS
  return hasEnded(result) || isCut || task.turnsRun >= task.activation.turns.length
    ? { kind: 'finished', result }
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

/** Throws for an invalid result. The lanes decide where a task runs `again`. */
export const readResult = (task: Task, message: ResultMessage): Step => {
  switch (message[1]) {
    case 'ran':
      return readRan(task, message[2], message[3])
    case 'diverged':
      return readDiverged(task, message[2])
    case 'image_missing':
    case 'over_bound':
      return { kind: 'finished', result: { kind: 'image_missing' } }
    case 'abandoned':
    case 'sent_back':
    case 'program_missing':
      return { kind: 'again' }
  }
}
