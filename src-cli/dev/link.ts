// `wes link`: a link to the dashboard of the runtime that owns the data directory.

import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readRuntimeInfo } from '#runtime/data-directory/data-directory.ts'
import { defaultDataDirectory } from '#runtime/data-directory/default-data-directory.ts'
import { newLink } from '#runtime/identity/new-link.ts'
import { provesToOwn } from '#runtime/identity/prove-identity.ts'
import { CommandFailure } from '../failures.ts'
import type { Terminal } from '../terminal.ts'

export const link = async (flags: { readonly dataDir?: string }, terminal: Terminal): Promise<void> => {
  const dataDir = resolve(flags.dataDir ?? defaultDataDirectory(process.env))
  const info = readRuntimeInfo(dataDir)
  if (info === undefined) await refuseUnreadable(dataDir)
  if (info === undefined || !(await provesToOwn(info))) {
    throw new CommandFailure('not_running', `no runtime is running with the data directory ${dataDir}`, {
      hint: 'Start one with `wes dev`, or pass its data directory with --data-dir.',
    })
  }
  const made = await newLink(info)
  const page = `http://localhost:${info.port}/`
  if (made.kind === 'no_answer') {
    throw new CommandFailure('link_no_answer', `the runtime at ${page} did not answer when it was asked for a link`, {
      hint: 'It may be busy, or have just stopped. Try again.',
    })
  }
  if (made.kind === 'refused') {
    throw new CommandFailure('link_refused', `the runtime at ${page} did not return a link (status ${made.status})`)
  }
  await terminal.out(`${made.url}\n`)
}

/** As of another user: a runtime may be running with it. */
const refuseUnreadable = async (dataDir: string): Promise<void> => {
  const fault = await readdir(dataDir).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(fault instanceof Error && 'code' in fault && fault.code === 'EACCES')) return
  throw new CommandFailure('data_dir_unreadable', `cannot read the data directory ${dataDir}: permission denied`, {
    hint: 'Run `wes link` as the user who started the runtime.',
  })
}
