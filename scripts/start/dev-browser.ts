// `npm run dev` without Electron: a runtime that restarts when its sources change, behind Vite's server with the
// dashboard's sources.

import { join } from 'node:path'
import { DEFAULT_PORT } from '../../src-runtime/shared/default-port.ts'
import { SAMPLE_PROJECT, sampleLine, show } from './browser-home.ts'
import { startDevServer } from './dev-server.ts'
import { findOwnRuntime } from './find-own-runtime.ts'
import type { StartOptions } from './start-options.ts'
import { startWatchedRuntime, type WatchedRuntime } from './watched-runtime.ts'

const ROOT = join(import.meta.dirname, '../..')
const WES = join(ROOT, 'src-cli/wes.mjs')

/** Runs until `stopRequested` settles. Resolves to the exit code. */
export const runDevBrowser = async (
  options: StartOptions,
  stopRequested: Promise<void>,
  print: (line: string) => void,
): Promise<number> => {
  const own = await findOwnRuntime(options)
  const runtime = own === undefined ? startRuntime(options, print) : undefined
  if (own !== undefined)
    print(`using the runtime at ${own.url} (process ${own.pid}), with the project ${own.projectFolder}`)
  const url = own?.url ?? (await Promise.race([runtime?.ready, stopRequested.then(() => undefined)]))
  if (url === undefined) return (await runtime?.stop()) ?? 0

  const server = await startDevServer(url)
  print(`dashboard with hot reload ${server.url}${await newCode(options)}`)
  show(server.url)
  await stopRequested
  const [code] = await Promise.all([runtime?.stop(), server.close()])
  return code ?? 0
}

/** Keys of sessions are stored by origin, and the page of this server has another one than the runtime's. */
const newCode = async (options: StartOptions): Promise<string> => {
  const link = await (await findOwnRuntime({ ...options, port: undefined }))?.link()
  return link === undefined ? '' : `/${new URL(link).hash}`
}

const startRuntime = (options: StartOptions, print: (line: string) => void): WatchedRuntime => {
  if (options.project === undefined) print(sampleLine('npm run dev'))
  const port = String(options.port ?? DEFAULT_PORT)
  const project = options.project ?? SAMPLE_PROJECT
  return startWatchedRuntime({
    args: (url) => [WES, 'dev', '--port', url === undefined ? port : new URL(url).port, '--project', project],
    folders: ['src-runtime', 'src-cli', 'src-sdk'].map((folder) => join(ROOT, folder)),
    print,
  })
}
