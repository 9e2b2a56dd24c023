// Runs a real `wes dev` with a fixed port, its own data directory and its own project folder.

import { createClient, type ServiceClient } from '../../src-sdk/create-client.ts'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { createProject } from '#runtime/source/project.test-support.ts'
import { startRuntimeProcess } from '../runtime-process.test-support.ts'

export type DashboardRuntime = {
  /** `http://localhost:PORT`, with the dashboard at `/`; the same after a restart. */
  readonly url: string
  readonly client: ServiceClient
  readonly dataDir: string
  /** The watched project folder, in which imports of the client resolve. */
  readonly projectFolder: string
  /** Replaces a file of the project in one step, so that a scan on a busy machine finds no half of it. */
  write(path: string, text: string): void
  /** Stops it like Ctrl-C. */
  stop(): Promise<void>
  /** Kills it like a crash. */
  kill(): Promise<void>
  /** Starts it after `stop` or `kill`. */
  start(): Promise<void>
  /** Kills it and removes its data. */
  dispose(): Promise<void>
}

export const startDashboardRuntime = async (): Promise<DashboardRuntime> => {
  const project = createProject({}, { packages: true })
  const [port = 0] = await freePorts([0])
  const runtime = await startRuntimeProcess({ port, project: project.folder })
  return {
    url: runtime.url(),
    client: createClient({ url: runtime.url() }),
    dataDir: runtime.dataDir,
    projectFolder: project.folder,
    write: project.save,
    stop: async () => void (await runtime.interrupt()),
    kill: runtime.kill,
    start: runtime.start,
    dispose: async () => {
      await runtime.dispose()
      project.dispose()
    },
  }
}
