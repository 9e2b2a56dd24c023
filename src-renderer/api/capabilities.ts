// What a user may do with an Execution or a Program, and otherwise why not. Every button asks here.

import type { ExecutionStatus, Program } from '#sdk/index.ts'

/** The reason why not, shown on the button; undefined when the action is possible. */
export type Refusal = string | undefined

const TERMINAL: ReadonlySet<ExecutionStatus> = new Set(['completed', 'failed', 'cancelled'])

export const isTerminal = (status: ExecutionStatus): boolean => TERMINAL.has(status)

type Statused = { readonly status: ExecutionStatus }

export const executionCannot = {
  beSentEvents: ({ status }: Statused): Refusal =>
    isTerminal(status) ? `This Execution is ${status}: it takes no more events` : undefined,
  beCancelled: ({ status }: Statused): Refusal => {
    if (status === 'cancelling') return 'This Execution is already being cancelled'
    return isTerminal(status) ? `This Execution is already ${status}` : undefined
  },
  beDeleted: ({ status }: Statused): Refusal =>
    isTerminal(status) ? undefined : 'Only Executions that have ended can be deleted: cancel it first',
} as const

export const programCannot = {
  beStarted: (program: Pick<Program, 'runnable' | 'latestVersion'>): Refusal => {
    if (program.runnable) return undefined
    return program.latestVersion.hasEffects
      ? 'This runtime does not run uploaded effects: open the project folder that this Program comes from'
      : 'No version of this Program can run here'
  },
} as const
