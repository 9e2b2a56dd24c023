// Runs a real `wes dev` with a fixed port, its own data directory and its own project folder.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient, type ServiceClient } from '../../src-sdk/create-client.ts'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { startRuntimeProcess } from '../runtime-process.test-support.ts'

export type DashboardRuntime = {
  /** `http://localhost:PORT`, with the dashboard at `/`; the same after a restart. */
  readonly url: string
  readonly client: ServiceClient
  readonly dataDir: string
  /** The watched project folder, in which imports of the client resolve. */
  readonly projectFolder: string
  /** Writes a file of the project. */
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

const REPOSITORY = join(import.meta.dirname, '../..')

export const startDashboardRuntime = async (): Promise<DashboardRuntime> => {
  const projectFolder = mkdtempSync(join(tmpdir(), 'wes-e2e-project-'))
  symlinkSync(join(REPOSITORY, 'node_modules'), join(projectFolder, 'node_modules'))
  const [port = 0] = await freePorts([0])
  const runtime = await startRuntimeProcess({ port, project: projectFolder })
  return {
    url: runtime.url(),
    client: createClient({ url: runtime.url() }),
    dataDir: runtime.dataDir,
    projectFolder,
    write(path, text) {
      const file = join(projectFolder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    },
    stop: async () => void (await runtime.interrupt()),
    kill: runtime.kill,
    start: runtime.start,
    dispose: async () => {
      await runtime.dispose()
      rmSync(projectFolder, { recursive: true, force: true })
    },
  }
}
