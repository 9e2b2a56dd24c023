import { ApiError } from '../contract/errors.ts'
import type { JournalEntry } from '../engine/journal.ts'
import type { ProjectPorts } from './choose-project.ts'
import { findHead, type WhichExecution } from './find-execution.ts'
import { decodeNumber, encodeCursor, limitOf, wirePage, type PageRequest } from './page-cursor.ts'
import { showEntry } from './show-execution.ts'

/** A page may end early: the store keeps it from growing beyond some megabytes. */
export const getHistory = async (ports: ProjectPorts, request: WhichExecution & { readonly page: PageRequest }) => {
  const head = await findHead(ports, request)
  const { cursor } = request.page
  const after = cursor === undefined ? 0 : decodeNumber('history', cursor)
  const entries = await ports.store.journal.page(head.key, after, limitOf(request.page))
  return wirePage(
    entries,
    (entry) => showEntry(readable(head.id, entry)),
    ({ position }) => encodeCursor('history', position),
  )
}

/** Answers are built from text, so an entry that is not JSON would make the whole answer invalid. */
const readable = (id: string, entry: JournalEntry): JournalEntry => {
  try {
    if (entry.data !== undefined) JSON.parse(entry.data)
    return entry
  } catch {
    const { position, type } = entry
    throw new ApiError(
      'internal',
      `Entry ${position} (${type}) of the history of Execution ${id} is damaged: it is no JSON.`,
    )
  }
}
