// Finds Executions by part of an id, by text of the error, or by their label.

import { queryOptions, useQueryClient } from '@tanstack/react-query'
import type { PlainClient } from '#sdk/create-client.ts'
import { type ExecutionSummary, ServiceRuntimeError } from '#sdk/index.ts'
import { LONGEST_LABEL } from './executions-query.ts'
import { failureOf } from './failures.ts'
import { useChanges } from './live.ts'
import type { LiveChange } from './live-changes.ts'
import { queryKey } from './query-keys.ts'
import { type Scope, useScope } from './scope.ts'

const RECENT = 6
const FOUND = 6
/** Each time they are shown: the changes between are not followed. */
const READ_ANEW = { staleTime: 0, retry: false } as const

export const recentExecutionsQuery = (scope: Scope) =>
  queryOptions({
    queryKey: queryKey(scope, 'executions', 'recent'),
    queryFn: async ({ signal }) => (await scope.until(signal).client.listExecutions({ limit: RECENT })).items,
    ...READ_ANEW,
  })

/** `exe_` and 26 characters of base32. */
const WHOLE_ID = /^exe_[0-9a-hjkmnp-tv-z]{26}$/
const SHORTEST = 5

/** The beginning of an id without its prefix: ids of the years 2004 to 2108 begin with `01`, `02` or `03`. */
const BARE_ID = /^0[1-3][0-9a-hjkmnp-tv-z]{3,24}$/

/**
 * The search term in a text; undefined while the text is too short. Finds an id inside a pasted link, and one without
 * `exe_`.
 */
export const searchableText = (typed: string): string | undefined => {
  const text = typed.trim()
  const id = /\bexe_[0-9a-z]*/i.exec(text)?.[0].toLowerCase()
  if (id !== undefined) return id.length > 'exe_'.length ? id : undefined
  if (BARE_ID.test(text.toLowerCase())) return `exe_${text.toLowerCase()}`
  return text.length >= SHORTEST ? text : undefined
}

/** Searches by the beginning of an id, or by text in the error or the label. A whole id is found in any project. */
export const foundExecutionsQuery = (scope: Scope, text: string) =>
  queryOptions({
    queryKey: queryKey(scope, 'executions', 'found', text),
    queryFn: async ({ signal }): Promise<readonly ExecutionSummary[]> => {
      const { client, anyProject } = scope.until(signal)
      const [{ items }, labelled] = await Promise.all([
        client.listExecutions({ q: text, limit: FOUND }),
        text.startsWith('exe_') || text.length > LONGEST_LABEL ? [] : withLabel(client, text),
      ])
      if (items.length === 0 && WHOLE_ID.test(text)) return anywhere(anyProject, text)
      return newestOf([...items, ...labelled])
    },
    ...READ_ANEW,
  })

/**
 * Keeps the statuses of recent and found Executions up to date. Rows stay where they are, so that Enter opens what is highlighted:
 * new Executions are in the next answers.
 */
export const useStatusesOfFound = (): void => {
  const queries = useQueryClient()
  const scope = useScope()
  useChanges(({ executions }) => {
    if (executions.length === 0) return
    for (const list of ['recent', 'found']) {
      queries.setQueriesData<readonly ExecutionSummary[]>(
        { queryKey: queryKey(scope, 'executions', list) },
        (rows) => rows && withStatuses(rows, executions),
      )
    }
  })
}

/** The same list if no status has changed. */
export const withStatuses = (
  rows: readonly ExecutionSummary[],
  changes: readonly LiveChange[],
): readonly ExecutionSummary[] => {
  const newest = new Map(changes.map(({ executionId, status }) => [executionId, status]))
  const statusOf = ({ id, status }: ExecutionSummary) => newest.get(id) ?? status
  return rows.some((row) => statusOf(row) !== row.status)
    ? rows.map((row) => ({ ...row, status: statusOf(row) }))
    : rows
}

const withLabel = async (client: PlainClient, label: string): Promise<readonly ExecutionSummary[]> => {
  try {
    return (await client.listExecutions({ label, limit: FOUND })).items
  } catch (error) {
    // An older service finds none by their label.
    if (error instanceof ServiceRuntimeError && error.code === 'invalid_response') return []
    throw error
  }
}

const newestOf = (found: readonly ExecutionSummary[]): readonly ExecutionSummary[] =>
  [...new Map(found.map((one) => [one.id, one])).values()]
    .toSorted((one, other) => Date.parse(other.createdAt) - Date.parse(one.createdAt))
    .slice(0, FOUND)

const anywhere = async (client: PlainClient, id: string): Promise<readonly ExecutionSummary[]> => {
  try {
    return [await client.getExecution(id)]
  } catch (error) {
    if (failureOf(error).kind === 'missing') return []
    throw error
  }
}
