import { useQuery } from '@tanstack/react-query'
import type { JsonSchema } from '#sdk/index.ts'
import { versionsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'

/** The input schema of the version that a Trigger starts: the newest that can run. Empty: no Program is chosen. */
export const useProgramSchema = (
  programId: string,
): { readonly schema: JsonSchema | undefined; readonly isKnown: boolean } => {
  const { data, isPlaceholderData } = useQuery({ ...versionsQuery(useScope(), programId), enabled: programId !== '' })
  if (data === undefined || isPlaceholderData) return { schema: undefined, isKnown: false }
  return { schema: data.find(({ runnable }) => runnable)?.manifest.inputSchema, isKnown: true }
}
