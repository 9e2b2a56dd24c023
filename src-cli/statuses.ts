import type { ExecutionStatus } from '#sdk/index.ts'

export const UNFINISHED: readonly ExecutionStatus[] = ['queued', 'running', 'waiting', 'cancelling']
export const FINISHED: readonly ExecutionStatus[] = ['completed', 'failed', 'cancelled']

export const hasEnded = (status: ExecutionStatus): boolean => FINISHED.includes(status)
