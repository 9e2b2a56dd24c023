// Opens a file in the user's editor, if it belongs to the project.

import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { isWithin } from '../../src-runtime/shared/real-path.ts'
import type { SourcePlace } from '../preload/desktop-api.ts'
import { RefusedError } from '../refused-error.ts'
import { editorCommand } from './editor-command.ts'

/** What the system may be asked to open: it may run other kinds of files. */
const SOURCE_FILE = /\.(?:[cm]?[jt]sx?|json)$/

export type EditorParts = {
  readonly projectFolder: () => string | null
  readonly env: NodeJS.ProcessEnv
  readonly platform: NodeJS.Platform
  readonly openPath: (path: string) => Promise<string>
  /** In the system's file manager. */
  readonly showItem: (path: string) => void
  readonly openUrl: (url: string) => Promise<void>
  readonly hasScheme: (scheme: string) => boolean
}

export const createOpenInEditor =
  (parts: EditorParts) =>
  async (place: SourcePlace): Promise<void> => {
    const { env, platform, openPath, showItem, openUrl, hasScheme } = parts
    const path = await fileOfProject(parts.projectFolder(), place.path)
    const hasCommand = (name: string): boolean => isOnPath(name, env)
    const command = editorCommand({ ...place, path }, { env, platform, hasCommand, hasScheme })
    switch (command.kind) {
      case 'command':
        return launch(command.command, command.args, env)
      case 'url':
        return openUrl(command.url)
      case 'default': {
        // Windows runs a `.js` that it is asked to open.
        if (platform === 'win32') return showItem(path)
        const problem = await openPath(path)
        if (problem !== '') throw new RefusedError('editor_failed', `${path} could not be opened: ${problem}`)
      }
    }
  }

/** Resolves links, so that none leads out of the project. */
const fileOfProject = async (folder: string | null, given: string): Promise<string> => {
  if (folder === null) throw new RefusedError('no_project', 'No project folder is open.')
  try {
    const root = await realpath(folder)
    const path = await realpath(resolve(root, given))
    if (isWithin(root, path) && SOURCE_FILE.test(path) && (await stat(path)).isFile()) return path
  } catch {
    // It does not exist; this is reported below.
  }
  throw new RefusedError('not_in_project', `There is no source file ${given} in ${folder}.`)
}

const isOnPath = (name: string, env: NodeJS.ProcessEnv): boolean =>
  (env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return folder !== ''
    } catch {
      return false
    }
  })

/** Resolves once the editor runs; the editor continues after this app quits. */
const launch = (command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> =>
  new Promise((started, failed) => {
    const child = spawn(command, [...args], { env, stdio: 'ignore', detached: true })
    child.once('spawn', () => {
      child.unref()
      started()
    })
    child.once('error', (error) =>
      failed(new RefusedError('editor_failed', `${command} could not be started: ${error.message}`)),
    )
  })
