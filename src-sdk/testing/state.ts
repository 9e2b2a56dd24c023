// What an Execution under test is made of between two turns.

import type { ExecutionError, ExecutionStatus, HistoryEntry, JsonValue, Waiting } from '../contract-types.ts'

export type OpenTimer = {
  readonly kind: 'timer'
  readonly command: number
  readonly since: number
  readonly dueAt: number
}

export type OpenWait = {
  readonly kind: 'event'
  readonly command: number
  readonly since: number
  readonly name: string
  /** `timeoutAt` */
  readonly dueAt?: number
}

export type EffectPolicy = {
  readonly maxAttempts: number
  readonly initialIntervalMs: number
  readonly backoffCoefficient: number
  readonly maxIntervalMs: number
  readonly timeoutMs: number
}

export type OpenEffect = {
  readonly kind: 'effect'
  readonly command: number
  readonly since: number
  readonly name: string
  /** What the Program called, where it did not call a name. */
  readonly reference?: object
  readonly input: JsonValue | undefined
  readonly policy: EffectPolicy
  attempt: number
  /** `due`: may begin at `dueAt`. `running`: times out at `dueAt`. `answered`: its delivery is under way. */
  phase: 'due' | 'running' | 'answered'
  dueAt: number
  abort?: (reason: Error) => void
}

export type OpenCommand = OpenTimer | OpenWait | OpenEffect

export type BufferedEvent = {
  readonly id: string
  readonly name: string
  readonly receivedAt: number
  readonly payload: JsonValue | undefined
}

export type EffectAnswer = { readonly command: number; readonly at: number } & (
  | { readonly ok: true; readonly result: JsonValue | undefined }
  | { readonly ok: false; readonly failure: Failure }
)

export type Failure = {
  readonly code: string
  readonly message: string
  readonly name?: string
  readonly stack?: string
}

export type Delivery =
  | { readonly kind: 'start' }
  | { readonly kind: 'event'; readonly wait: OpenWait; readonly event: BufferedEvent }
  | { readonly kind: 'wait_timeout'; readonly wait: OpenWait }
  | { readonly kind: 'timer'; readonly timer: OpenTimer }
  | { readonly kind: 'effect'; readonly effect: OpenEffect; readonly answer: EffectAnswer }
  | { readonly kind: 'cancel' }

export type Ending =
  | { readonly kind: 'completed'; readonly result: JsonValue | undefined }
  | { readonly kind: 'failed'; readonly error: ExecutionError }

export type State = {
  /** The clock, in ms since the epoch. It stands still unless the test moves it. */
  now: number
  status: ExecutionStatus
  /** By command; commands count from 1, so this is the order in which they were asked for. */
  readonly open: Map<number, OpenCommand>
  buffered: BufferedEvent[]
  answers: EffectAnswer[]
  cancelRequestedAt?: number
  cancelDelivered: boolean
  /** What the Program returned or threw. */
  ending?: Ending
  readonly history: HistoryEntry[]
}

export const isOver = ({ status }: State): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

export const iso = (ms: number): string => new Date(ms).toISOString()

export const record = (state: State, entry: Omit<HistoryEntry, 'position' | 'at'>): void => {
  state.history.push({ position: state.history.length + 1, at: iso(state.now), ...entry })
}

export const waitingFor = ({ open }: State): readonly Waiting[] => [...open.values()].map(waitingOf)

const waitingOf = (command: OpenCommand): Waiting => {
  switch (command.kind) {
    case 'timer':
      return { kind: 'timer', wakeAt: iso(command.dueAt) }
    case 'event': {
      const wait = { kind: 'event', name: command.name, since: iso(command.since) } as const
      return command.dueAt === undefined ? wait : { ...wait, timeoutAt: iso(command.dueAt) }
    }
    case 'effect': {
      const { name, attempt, phase, dueAt } = command
      const isPause = phase === 'due' && attempt > 1
      return { kind: 'effect', name, attempt, ...(isPause ? { nextAttemptAt: iso(dueAt) } : {}) }
    }
  }
}
