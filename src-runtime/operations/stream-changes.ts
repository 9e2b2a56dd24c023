import type { EventStream } from '../contract/operations.ts'
import { STREAM_COMMENT_INTERVAL_MS } from '../contract/limits.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { chooseProject, type ProjectPorts } from './choose-project.ts'

const RETRY_MS = 1_000

/** Changes as server-sent events, of all projects unless one is chosen. */
export const streamChanges = async (
  ports: ProjectPorts & Pick<OperationPorts, 'changes'>,
  request: { readonly projectId: string | undefined; readonly lastEventId: string | undefined },
): Promise<EventStream> => {
  const { lastEventId = '' } = request
  const stream = await ports.changes.stream({
    projectId: request.projectId === undefined ? undefined : await chooseProject(ports, request.projectId),
    lastEventId: lastEventId === '' ? undefined : lastEventId,
  })
  return (sink) => {
    sink.write(`retry: ${RETRY_MS}\n\n`)
    const leave = stream(sink)
    const comments = setInterval(() => sink.isReady() && sink.write(':\n\n'), STREAM_COMMENT_INTERVAL_MS)
    return () => {
      clearInterval(comments)
      leave()
    }
  }
}
