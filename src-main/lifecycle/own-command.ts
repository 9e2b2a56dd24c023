// How this copy of the app is started. Pure.

import { posix } from 'node:path'

export type OwnFacts = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The executable. */
  readonly execPath: string
  readonly isPackaged: boolean
  /** A checkout is started by naming its folder. */
  readonly appPath: string
}

/** The program, and its arguments behind `options`. */
export const ownCommand = (facts: OwnFacts, options: readonly string[] = []): readonly [string, ...string[]] =>
  facts.isPackaged ? [ownAppImage(facts) ?? facts.execPath, ...options] : [facts.execPath, ...options, facts.appPath]

/**
 * The AppImage's file: its executable is in a folder that is removed at the end. Undefined for other packages. An AppImage passes
 * its variables on to programs that it starts: then they name another app's file.
 */
export const ownAppImage = ({ env, execPath }: Pick<OwnFacts, 'env' | 'execPath'>): string | undefined => {
  const { APPIMAGE: file = '', APPDIR: mounted } = env
  return posix.isAbsolute(file) && isWithin(execPath, mounted) ? file : undefined
}

/** Options of this start, such as `--no-sandbox`, without the links and files that were opened. */
export const optionsAgain = ([, ...args]: readonly string[]): readonly string[] =>
  args.filter((argument) => argument.startsWith('--'))

export const isWithin = (path: string, folder: string | undefined): boolean =>
  folder !== undefined && posix.isAbsolute(folder) && path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
