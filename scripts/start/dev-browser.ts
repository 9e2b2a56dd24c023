// `npm run dev` without Electron: the runtime, started again when its sources change, and Vite's server with the
// dashboard's sources in front of it.

import { join } from 'node:path'
import { DEFAULT_PORT, SAMPLE_PROJECT, sampleLine, show } from './browser-home.ts'
import { startDevServer } from './dev-server.ts'
import { findOwnRuntime } from './find-own-runtime.ts'
import type { Wish } from './read-wish.ts'
import { startWatchedRuntime, type WatchedRuntime } from './watched-runtime.ts'

const ROOT = join(import.meta.dirname, '../..')
const WES = join(ROOT, 'src-cli/wes.mjs')

/** `stopAsked` settles when the user wants it to end. Answers the exit code. */
export const runDevBrowser = async (
  wish: Wish,
  stopAsked: Promise<void>,
  tell: (line: string) => void,
): Promise<number> => {
  const own = await findOwnRuntime(wish)
  const runtime = own === undefined ? startRuntime(wish, tell) : undefined
  if (own !== undefined)
    tell(`using the runtime at ${own.url} (process ${own.pid}), with the project ${own.projectFolder}`)
  const url = own?.url ?? (await Promise.race([runtime?.ready, stopAsked.then(() => undefined)]))
  if (url === undefined) return (await runtime?.stop()) ?? 0

  const server = await startDevServer(url)
  tell(`dashboard with hot reload ${server.url}`)
  show(server.url)
  await stopAsked
  const [code] = await Promise.all([runtime?.stop(), server.close()])
  return code ?? 0
}

const startRuntime = (wish: Wish, tell: (line: string) => void): WatchedRuntime => {
  if (wish.project === undefined) tell(sampleLine('npm run dev'))
  const port = String(wish.port ?? DEFAULT_PORT)
  const project = wish.project ?? SAMPLE_PROJECT
  return startWatchedRuntime({
    args: (url) => [WES, 'dev', '--port', url === undefined ? port : new URL(url).port, '--project', project],
    folders: ['src-runtime', 'src-cli', 'src-sdk'].map((folder) => join(ROOT, folder)),
    tell,
  })
}
