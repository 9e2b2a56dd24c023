// The link or file in the arguments of a second instance, or in the first one's own. Chromium reorders and adds
// arguments, so they are recognised by their form, not their position.

import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { DEEP_LINK_SCHEME } from './deep-link.ts'
import { RUN_FILE_ENDING } from './run-file.ts'

export type LaunchRequest = { readonly deepLink?: string; readonly runFile?: string }

/** The data that a second instance passes on; more reliable than Electron's own copy of the arguments. */
export const Handover = Type.Object({
  argv: Type.Array(Type.String({ maxLength: 8192 }), { maxItems: 200 }),
  cwd: Type.String({ maxLength: 4096 }),
})
export type Handover = Static<typeof Handover>

export const isHandover = (value: unknown): value is Handover => Check(Handover, value)

/** An option, or a link: any web page can create a link, and its end could look like the path of a file. */
const NO_PATH = new RegExp(`^(?:-|${DEEP_LINK_SCHEME}:)`, 'i')

export const launchRequest = ({ argv, cwd }: Handover): LaunchRequest => {
  const deepLink = argv.find((argument) => argument.toLowerCase().startsWith(`${DEEP_LINK_SCHEME}://`))
  const named = argv.find((argument) => argument.endsWith(RUN_FILE_ENDING) && !NO_PATH.test(argument))
  const runFile = named === undefined ? undefined : pathOf(named)
  return {
    ...(deepLink !== undefined && { deepLink }),
    ...(runFile !== undefined && (isAbsolute(cwd) || isAbsolute(runFile)) && { runFile: resolve(cwd, runFile) }),
  }
}

/** The entry of the app in menus of Linux asks for URLs. Undefined for a file of another computer. */
const pathOf = (argument: string): string | undefined => {
  if (!/^file:/i.test(argument)) return argument
  try {
    return fileURLToPath(argument)
  } catch {
    return undefined
  }
}
