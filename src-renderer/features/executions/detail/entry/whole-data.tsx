// The full data of a history entry. The page reads it again where it was too large to keep.

import { type ReactNode, useMemo } from 'react'
import type { JsonValue } from '#sdk/index.ts'
import { useScope } from '../../../../api/scope.ts'
import { useQueryKeepingError } from '../../../../api/use-query-keeping-error.ts'
import { bytes } from '../../../../parts/format.ts'
import { QueryContent } from '../../../../parts/query-content.tsx'
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
  const query = useQueryKeepingError(wholeEntryQuery(scope, executionId, page, line.position))
  return (
    <QueryContent what={`the entry's data (${bytes(line.size)})`} query={query}>
      {({ data }) => children(data)}
    </QueryContent>
  )
}
