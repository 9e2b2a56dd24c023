// Checks the files of an installed app that lie beside its archive. Electron checks the archive only, so main compares these
// with the hashes in the archive before it runs or loads any of them.

import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { APP_NAME } from './app-identity.ts'

/** In the archive; packaging writes it. */
export const UNPACKED_LIST = 'out/unpacked-files.json'

/** The SHA-256 by path. `null`: signed after the archive was closed, which changed it, so only its presence is checked. */
export type UnpackedFiles = Readonly<Record<string, string | null>>

/** `appPath`: the archive. Rejects if a file beside it is missing or not the packaged one. */
export const checkUnpacked = async (appPath: string): Promise<void> => {
  const listed = JSON.parse(await readFile(join(appPath, UNPACKED_LIST), 'utf8')) as UnpackedFiles
  const wrong = (
    await Promise.all(
      Object.entries(listed).map(async ([path, expected]) => {
        const file = join(`${appPath}.unpacked`, path)
        return (await isAsPackaged(file, expected)) ? [] : [file]
      }),
    )
  ).flat()
  if (wrong.length === 0) return
  const others = wrong.length === 1 ? '' : ` and ${wrong.length - 1} more`
  throw new Error(`${wrong[0]}${others} changed since ${APP_NAME} was installed. Install it again.`)
}

const isAsPackaged = async (file: string, expected: string | null): Promise<boolean> => {
  try {
    if (expected === null) return (await stat(file)).isFile()
    // In a thread, so that the window opens meanwhile.
    const digest = await crypto.subtle.digest('SHA-256', await readFile(file))
    return Buffer.from(digest).toString('hex') === expected
  } catch {
    return false
  }
}
