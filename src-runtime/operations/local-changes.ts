// The changes of one process, for its callers.

import type { EventStream } from '../contract/operations.ts'
import type { Changes } from '../ports/changes.ts'
import { createChangeReaders } from './change-readers.ts'
import type { ChangesFeed } from './create-changes-feed.ts'

export const createLocalChanges = (feed: ChangesFeed): Changes => {
  const readers = createChangeReaders(feed)

  const beginning = (lastEventId: string | undefined, projectId: string | undefined): string =>
    lastEventId === undefined
      ? `id: ${feed.idOf(feed.latest())}\n\n`
      : readers.since(feed.sequenceOf(lastEventId), projectId)

  return {
    whenTerminal: (key, listener) => feed.whenTerminal(key, listener),
    stream:
      ({ projectId, lastEventId }): EventStream =>
      (sink) => {
        sink.write(beginning(lastEventId, projectId))
        const leaveReaders = readers.add({ sink, projectId, after: feed.latest() })
        const stay = feed.onClose(() => sink.end())
        return () => {
          leaveReaders()
          stay()
        }
      },
  }
}
