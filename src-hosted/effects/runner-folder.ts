// The folder of an effect runner: sockets, and what isolated hosts see as their root. The runner removes it when it ends. If
// its process was killed, the next runner that makes a folder removes it.

import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type RunnerFolder = {
  readonly path: string
  /** May be called twice. */
  remove(): Promise<void>
}

const PREFIX = 'wes-effects-'
/** The runner listens at this socket while it uses the folder. */
const ALIVE = 'alive.sock'
/** A younger folder may not have its socket yet. */
const YOUNG_MS = 60_000

export const makeRunnerFolder = async (parent = tmpdir()): Promise<RunnerFolder> => {
  await removeAbandoned(parent)
  const path = mkdtempSync(join(parent, PREFIX))
  // Hosts and the egress process have other users where the service runs as root.
  if (process.getuid?.() === 0) chmodSync(path, 0o711)
  const server = createServer((socket) => socket.destroy())
  server.unref()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(join(path, ALIVE), resolve)
  })
  let removed: Promise<void> | undefined
  const remove = async (): Promise<void> => {
    await new Promise<void>((resolve) => server.close(() => resolve()))
    rmSync(path, { recursive: true, force: true })
  }
  return { path, remove: () => (removed ??= remove()) }
}

const removeAbandoned = async (parent: string): Promise<void> => {
  const names = readdirSync(parent).filter((name) => name.startsWith(PREFIX))
  await Promise.all(
    names.map(async (name) => {
      const path = join(parent, name)
      if (await isAbandoned(path)) rmSync(path, { recursive: true, force: true })
    }),
  )
}

const isAbandoned = async (path: string): Promise<boolean> => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) return false
  const answer = await knock(join(path, ALIVE))
  return answer === 'ECONNREFUSED' || (answer === 'ENOENT' && Date.now() - found.mtimeMs > YOUNG_MS)
}

/** The code of the error; undefined when a process listens. */
const knock = (socket: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const connection = connect(socket)
    connection.once('connect', () => {
      connection.destroy()
      resolve(undefined)
    })
    connection.once('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })
