// Finds the user's running runtime on the data directory that `npm start` would use.

import { readRuntimeInfo } from '../../src-runtime/data-directory/data-directory.ts'
import { defaultDataDirectory } from '../../src-runtime/data-directory/default-data-directory.ts'
import { newLink } from '../../src-runtime/identity/new-link.ts'
import { provesToOwn } from '../../src-runtime/identity/prove-identity.ts'
import type { StartOptions } from './start-options.ts'

export type OwnRuntime = {
  readonly url: string
  readonly pid: number
  readonly projectFolder: string
  /** The dashboard's URL, with a new code for a session. */
  link(): Promise<string>
}

/**
 * Undefined if there is none with the given port and project. The server on its port has proven to be that runtime, so
 * its page may be shown.
 */
export const findOwnRuntime = async ({
  port,
  project,
}: Pick<StartOptions, 'port' | 'project'>): Promise<OwnRuntime | undefined> => {
  const owner = readRuntimeInfo(defaultDataDirectory(process.env))
  if (owner === undefined) return undefined
  if (port !== undefined && port !== owner.port) return undefined
  if (project !== undefined && project !== owner.projectFolder) return undefined
  if (!(await provesToOwn(owner))) return undefined
  const url = `http://localhost:${owner.port}`
  const link = async (): Promise<string> => {
    const made = await newLink(owner)
    return made.kind === 'link' ? made.url : url
  }
  return { url, pid: owner.pid, projectFolder: owner.projectFolder, link }
}
