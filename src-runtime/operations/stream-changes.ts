import type { EventStream } from '../contract/operations.ts'
import { STREAM_COMMENT_INTERVAL_MS } from '../contract/limits.ts'
import { chooseProject } from './choose-project.ts'
import type { OperationPorts } from './operation-ports.ts'

const RETRY_MS = 1_000

/**
 * Changes as server-sent events, of all projects unless one is chosen. Begins with an id that a reader can resume from
 * before it saw anything; `reset` when what it missed is not known any more.
 */
export const streamChanges = (
  ports: Pick<OperationPorts, 'store' | 'changes' | 'readers'>,
  request: { readonly projectId: string | undefined; readonly lastEventId: string | undefined },
): EventStream => {
  const { changes, readers } = ports
  const projectId = request.projectId === undefined ? undefined : chooseProject(ports, request.projectId)

  return (sink) => {
    sink.write(`retry: ${RETRY_MS}\n${beginning(ports, request.lastEventId, projectId)}`)
    const leaveReaders = readers.add({ sink, projectId, after: changes.latest() })
    const comments = setInterval(() => sink.isReady() && sink.write(':\n\n'), STREAM_COMMENT_INTERVAL_MS)
    const leave = () => {
      clearInterval(comments)
      leaveReaders()
      stay()
    }
    const stay = changes.onClose(() => sink.end())
    return leave
  }
}

const beginning = (
  { changes, readers }: Pick<OperationPorts, 'changes' | 'readers'>,
  lastEventId: string | undefined,
  projectId: string | undefined,
): string => {
  if (lastEventId === undefined || lastEventId === '') return `id: ${changes.epoch}:${changes.latest()}\n\n`
  const [epoch, sequence = ''] = lastEventId.split(':')
  const after = epoch === changes.epoch && /^\d{1,15}$/.test(sequence) ? Number(sequence) : undefined
  return `\n${readers.since(after, projectId)}`
}
