import type { HistoryEntry } from '../contract/models.ts'
import { wireList } from '../contract/wire-json.ts'
import { findExecution } from './find-execution.ts'
import type { OperationPorts } from './operation-ports.ts'
import { decodeNumber, encodeCursor, limitOf, type PageRequest } from './page-cursor.ts'
import { showEntry } from './show-execution.ts'

/** A page may end early: the store keeps it from growing beyond some megabytes. */
export const getHistory = (
  ports: Pick<OperationPorts, 'store'>,
  request: { readonly id: string; readonly projectId: string | undefined; readonly page: PageRequest },
) => {
  const { key } = findExecution(ports, request).head
  const { cursor } = request.page
  const after = cursor === undefined ? 0 : decodeNumber('history', cursor)
  const { items, more } = ports.store.journal.page(key, after, limitOf(request.page))
  const last = items.at(-1)
  return wireList<HistoryEntry>(
    items.map(showEntry),
    more && last !== undefined ? encodeCursor('history', last.position) : null,
  )
}
