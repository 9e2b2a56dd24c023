import type { HistoryEntry } from '../contract/models.ts'
import { wireList, type WireJson } from '../contract/wire-json.ts'
import { findExecution } from './find-execution.ts'
import type { OperationPorts } from './operation-ports.ts'
import { decodeNumber, encodeCursor, limitOf, type PageRequest } from './page-cursor.ts'
import { showEntry } from './show-execution.ts'

/** An entry may be large: a page ends early rather than grow beyond this. */
const PAGE_CHARACTERS = 4 * 1024 * 1024
const READ_AT_ONCE = 25

export const getHistory = (
  ports: Pick<OperationPorts, 'store'>,
  request: { readonly id: string; readonly projectId: string | undefined; readonly page: PageRequest },
) => {
  const { key } = findExecution(ports, request)
  const limit = limitOf(request.page)
  const shown: WireJson<HistoryEntry>[] = []
  let position = request.page.cursor === undefined ? 0 : decodeNumber('history', request.page.cursor)
  let characters = 0
  let more = true
  while (more && shown.length < limit && characters < PAGE_CHARACTERS) {
    const page = ports.store.journal.page(key, position, Math.min(READ_AT_ONCE, limit - shown.length))
    for (const entry of page.items) {
      const text = showEntry(entry)
      shown.push(text)
      characters += text.length
      position = entry.position
    }
    more = page.more
  }
  return wireList<HistoryEntry>(shown, more ? encodeCursor('history', position) : null)
}
