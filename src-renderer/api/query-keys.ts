// All query keys: connection, project, noun, then parameters. The caches of two connections never mix.

import type { Scope } from './scope.ts'

export type Noun =
  | 'projects'
  | 'programs'
  | 'program'
  | 'versions'
  | 'artifact'
  | 'executions'
  | 'counts'
  | 'volume'
  | 'last-run'
  | 'execution'
  | 'history'
  | 'runs-again'
  | 'waiting'
  | 'errors'
  | 'triggers'
  | 'firings'
  | 'metrics'
  | 'source'
  | 'runtime'
  | 'health'
  | 'who-am-i'
  | 'bulk'
  | 'usage'
  | 'plan'
  | 'upcoming-invoice'
  | 'invoices'
  | 'workspace'
  | 'tokens'
  | 'environment'

type Place = Pick<Scope, 'connection' | 'projectId'>

export const queryKey = (scope: Place, noun: Noun, ...rest: readonly unknown[]) =>
  [scope.connection.id, scope.projectId, noun, ...rest] as const

/** An Execution has the same key on the screens of every project. */
export const executionKey = (scope: Place, noun: 'execution' | 'history', id: string) =>
  [scope.connection.id, 'any', noun, id] as const

/** Of the mutation that deletes an Execution. */
export const deletionKey = (executionId: string) => ['delete', executionId] as const
