import { useQuery } from '@tanstack/react-query'
import type { JsonSchema } from '#sdk/index.ts'
import { versionsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'

/** The input schema of the version that a Trigger starts: the newest that can run. Empty: no Program is chosen. */
export const useProgramSchema = (
  programId: string,
): {
  readonly schema: JsonSchema | undefined
  /** `unread`: the versions could not be read. */
  readonly state: 'loading' | 'known' | 'unread'
} => {
  const query = useQuery({ ...versionsQuery(useScope(), programId), enabled: programId !== '' })
  const { data, isPlaceholderData, isError } = query
  if (data === undefined || isPlaceholderData) return { schema: undefined, state: isError ? 'unread' : 'loading' }
  return { schema: data.find(({ runnable }) => runnable)?.manifest.inputSchema, state: 'known' }
}
