// What a user may do, with an Execution or a Program and with the role of the token, and otherwise why not. Every button
// asks here.

import type { ExecutionStatus, Program, WhoAmI } from '#sdk/index.ts'

/** The reason why not, shown on the button; undefined when the action is possible. */
export type Refusal = string | undefined

export const GONE: Refusal = 'This Execution was deleted'

const TERMINAL: ReadonlySet<ExecutionStatus> = new Set(['completed', 'failed', 'cancelled'])

export const isTerminal = (status: ExecutionStatus): boolean => TERMINAL.has(status)

/** Each may do what those before it may. */
const ROLES = ['read', 'write', 'admin'] as const
export type Role = WhoAmI['token']['role']

/** `has` is undefined on local, where nobody needs a role, and until it is known: the service decides then. */
export const roleCannot = (needed: Role, has: Role | undefined): Refusal =>
  has === undefined || ROLES.indexOf(has) >= ROLES.indexOf(needed)
    ? undefined
    : `Your token has the role ${has}; this needs ${needed}`

type Statused = { readonly status: ExecutionStatus }

export const executionCannot = {
  beSentEvents: ({ status }: Statused): Refusal =>
    isTerminal(status) ? `This Execution is ${status}: it accepts no more events` : undefined,
  beCancelled: ({ status }: Statused): Refusal => {
    if (status === 'cancelling') return 'This Execution is already being cancelled'
    return isTerminal(status) ? `This Execution is already ${status}` : undefined
  },
  beDeleted: ({ status }: Statused): Refusal =>
    isTerminal(status) ? undefined : 'Only Executions that have ended can be deleted: cancel it first',
} as const

/** undefined: not yet known. */
export const projectCannotStart = (programs: readonly unknown[] | undefined): Refusal =>
  programs?.length === 0 ? 'There are no Programs to start yet' : undefined

export const programCannot = {
  beStarted: (program: Pick<Program, 'runnable' | 'latestVersion'>): Refusal => {
    if (program.runnable) return undefined
    if (program.latestVersion.origin === 'source') return 'Its source is missing, or belongs to another project now'
    return program.latestVersion.hasEffects
      ? 'Its uploaded effects do not run here: open the project folder that this Program comes from'
      : 'No version of this Program can run here'
  },
} as const
