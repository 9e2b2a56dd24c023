import { createClient, type ExecutionChange } from 'workflow-execution-service'

declare const show: (change: ExecutionChange) => void
declare const remove: (id: string) => void
declare const readProgram: (id: string) => void
declare const readSource: () => void
declare const readRuntime: () => void
declare const readEverythingAgain: () => void

const client = createClient()
const { signal } = new AbortController()

// #region client
for await (const message of client.streamChanges({ signal })) {
  if (message.kind === 'change') show(message.change) // { executionId, programId, projectId, status, at }
  else if (message.kind === 'deleted') remove(message.change.executionId)
  else if (message.kind === 'program') readProgram(message.change.programId) // a version was stored or removed
  else if (message.kind === 'source') readSource() // local runtimes: getSource() answers something else
  else if (message.kind === 'runtime') readRuntime() // local runtimes: the disk is full, or no longer, as getRuntime() says
  else readEverythingAgain() // 'reset': messages were missed
}
// #endregion client
