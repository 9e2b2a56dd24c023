// Says who uses a port, for a message: the process that listens there, and the local runtime if it says that it is one.

import { askPort } from './ask-port.ts'
import type { OtherRuntime } from './other-runtime.ts'
import { findPortHolder, type PortHolder } from './port-holder.ts'

export type PortUser = { readonly holder: PortHolder | undefined; readonly runtime: OtherRuntime | undefined }

const ANSWER_LIMIT_MS = 1_500
const LONGEST_TEXT = 500

export const findPortUser = async (port: number): Promise<PortUser> => {
  const [holder, runtime] = await Promise.all([findPortHolder(port), askForRuntime(port)])
  // What the system says of the process holds on this computer, also if the runtime is in a container.
  return { holder, runtime: runtime && { ...runtime, pid: holder?.pid ?? runtime.pid } }
}

/** Believes what it says, because it is only shown. Another program gets one request, for `/healthz`. */
const askForRuntime = async (port: number): Promise<OtherRuntime | undefined> => {
  const health = await askPort(port, '/healthz', ANSWER_LIMIT_MS)
  if (textIn(health, 'service') !== 'workflow-execution-service' || textIn(health, 'mode') !== 'local') return undefined
  const [status, source] = await Promise.all(
    ['/v1/runtime', '/v1/source'].map((path) => askPort(port, path, ANSWER_LIMIT_MS)),
  )
  const pid = memberOf(status, 'pid')
  const dataDirectory = textIn(status, 'dataDir')
  const folder = textIn(source, 'folder')
  return {
    version: textIn(health, 'version'),
    pid: typeof pid === 'number' ? pid : null,
    dataDirectory,
    // Without a project, a runtime uses its data directory as the project.
    projectFolder: folder === dataDirectory ? null : folder,
  }
}

const memberOf = (answer: unknown, name: string): unknown => ((answer ?? {}) as Readonly<Record<string, unknown>>)[name]

const textIn = (answer: unknown, name: string): string | null => {
  const value = memberOf(answer, name)
  return typeof value === 'string' && value.length <= LONGEST_TEXT ? value : null
}
