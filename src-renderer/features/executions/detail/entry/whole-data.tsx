// An entry's data in full: kept, or read again when it was too large for that.

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import type { JsonValue } from '#sdk/index.ts'
import { useScope } from '../../../../api/scope.ts'
import { bytes } from '../../../../parts/format.ts'
import { QueryFault } from '../../../../parts/query-fault.tsx'
import { QueryLoading } from '../../../../parts/query-loading.tsx'
import { dataOf, type EntryLine } from '../journal/entry-line.ts'
import { wholeEntryQuery } from '../journal/journal-query.ts'
import type { Journal } from '../journal/journal.ts'

export type WholeDataProps = {
  readonly executionId: string
  readonly journal: Journal
  readonly line: EntryLine
  readonly children: (data: JsonValue | undefined) => ReactNode
}

export const WholeData = ({ executionId, journal, line, children }: WholeDataProps) => {
  const kept = useMemo(() => dataOf(line), [line])
  if (line.text !== undefined) return children(kept)
  return (
    <ReadAgain executionId={executionId} journal={journal} line={line}>
      {children}
    </ReadAgain>
  )
}

const ReadAgain = ({ executionId, journal, line, children }: WholeDataProps) => {
  const scope = useScope()
  const page = journal.pageOf(line.position) ?? { first: 1, cursor: null }
  const query = wholeEntryQuery(scope, executionId, page, line.position)
  const { data, error, refetch } = useQuery(query)
  if (data !== undefined) return children(data.data)
  if (error !== null) return <QueryFault what="This entry" error={error} onRetry={() => void refetch()} />
  return <QueryLoading what={`the entry's data (${bytes(line.size)})`} queryKey={query.queryKey} />
}
