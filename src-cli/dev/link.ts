// `wes link`: a link to the dashboard of the runtime that owns the data directory.

import { resolve } from 'node:path'
import { readRuntimeInfo } from '#runtime/data-directory/data-directory.ts'
import { defaultDataDirectory } from '#runtime/data-directory/default-data-directory.ts'
import { provesToOwn } from '#runtime/identity/prove-identity.ts'
import { CommandFailure } from '../failures.ts'
import type { Terminal } from '../terminal.ts'

export const link = async (flags: { readonly dataDir?: string }, terminal: Terminal): Promise<void> => {
  const dataDir = resolve(flags.dataDir ?? defaultDataDirectory(process.env))
  const info = readRuntimeInfo(dataDir)
  if (info === undefined || !(await provesToOwn(info))) {
    throw new CommandFailure('not_running', `no runtime is running with the data directory ${dataDir}`, {
      hint: 'Start one with `wes dev`, or pass its data directory with --data-dir.',
    })
  }
  const page = `http://localhost:${info.port}/`
  if (info.token === undefined) return terminal.out(`${page}\n`)
  const answer = await fetch(`http://127.0.0.1:${info.port}/local/link`, {
    method: 'POST',
    headers: { authorization: `Bearer ${info.token}` },
  })
  const { code } = (await answer.json()) as { readonly code?: string | null }
  if (!answer.ok || typeof code !== 'string') {
    throw new CommandFailure('link_refused', `the runtime at ${page} did not return a link (status ${answer.status})`)
  }
  await terminal.out(`${page}#code=${code}\n`)
}
