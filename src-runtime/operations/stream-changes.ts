import type { Change } from '../contract/models.ts'
import type { EventStream } from '../contract/operations.ts'
import { STREAM_BACKLOG_LIMIT_BYTES, STREAM_COMMENT_INTERVAL_MS } from '../contract/limits.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { PublishedChange } from './create-changes-feed.ts'
import { chooseProject } from './choose-project.ts'
import type { OperationPorts } from './operation-ports.ts'
import { iso } from './show-execution.ts'

const RETRY_MS = 1_000

/**
 * Changes as server-sent events, of all projects unless one is chosen. Begins with an id that a reader can resume from
 * before it saw anything; `reset` when what it missed is not known any more.
 */
export const streamChanges = (
  ports: Pick<OperationPorts, 'store' | 'changes'>,
  request: { readonly projectId: string | undefined; readonly lastEventId: string | undefined },
): EventStream => {
  const { changes } = ports
  const projectId = request.projectId === undefined ? undefined : chooseProject(ports, request.projectId)
  const isWanted = ({ change }: PublishedChange) => projectId === undefined || change.projectId === projectId
  const render = (published: readonly PublishedChange[]) =>
    published
      .filter(isWanted)
      .map((one) => eventText(changes.epoch, one))
      .join('')

  return (sink) => {
    sink.write(`retry: ${RETRY_MS}\n${beginning(ports, request.lastEventId, render)}`)
    const stopListening = changes.subscribe((published) => {
      const text = render(published)
      if (text !== '') sink.write(text)
    })
    const comments = setInterval(() => sink.write(':\n\n'), STREAM_COMMENT_INTERVAL_MS)
    const leave = () => {
      clearInterval(comments)
      stopListening()
      stay()
    }
    const stay = changes.onClose(() => sink.end())
    return leave
  }
}

const beginning = (
  { changes }: Pick<OperationPorts, 'changes'>,
  lastEventId: string | undefined,
  render: (published: readonly PublishedChange[]) => string,
): string => {
  const here = `id: ${changes.epoch}:${changes.latest()}\n`
  if (lastEventId === undefined || lastEventId === '') return `${here}\n`
  const [epoch, sequence = ''] = lastEventId.split(':')
  const missed = epoch === changes.epoch && /^\d{1,15}$/.test(sequence) ? changes.since(Number(sequence)) : undefined
  const text = missed === undefined ? undefined : render(missed)
  // More at once than a reader may leave unread: it would be let go, and come again, and be let go.
  if (text === undefined || text.length > STREAM_BACKLOG_LIMIT_BYTES / 2) return `${here}event: reset\ndata: {}\n\n`
  return `\n${text}${here}\n`
}

const eventText = (epoch: string, { sequence, change }: PublishedChange): string =>
  `id: ${epoch}:${sequence}\n${change.deleted === true ? 'event: deleted\n' : ''}data: ${showChange(change)}\n\n`

const showChange = ({ executionId, programId, projectId, status, at }: PublishedChange['change']): WireJson<Change> =>
  toWire({ executionId, programId, projectId, status, at: iso(at) })
