// The platform's dialogs, each for one question. Each belongs to the window: without one, macOS stops the whole process until
// the user answers, and with it the runtime.

import { app, dialog, type BrowserWindow, type MessageBoxOptions } from 'electron'
import { join } from 'node:path'
import { inOneLine } from '../src-renderer/ui/hidden-characters.ts'
import { APP_NAME } from './app-identity.ts'
import type { RestartAnswer } from './updates/restart-question.ts'

const RESTART_ANSWERS: readonly RestartAnswer[] = ['now', 'on-quit', 'later']

export type Dialogs = {
  pickFolder(near: string | null): Promise<string | undefined>
  pickTarget(name: string): Promise<string | undefined>
  /** `deniesSchemas`: whether the folder's configuration is evaluated without access to files and the network. */
  askTrust(folder: string, deniesSchemas: boolean): Promise<boolean>
  confirmReset(what: 'executions' | 'everything'): Promise<boolean>
  askRestart(question: { readonly message: string; readonly detail: string }): Promise<RestartAnswer>
  /** Another version was installed over the running one. */
  askRestartOfReplaced(): Promise<boolean>
  showError(message: string): void
  showBackedUp(file: string): void
}

/** `front`: the window, visible. Rejects when the app is ending: then nothing is asked. */
export const createDialogs = (front: () => Promise<BrowserWindow>): Dialogs => {
  const ask = async (options: MessageBoxOptions): Promise<number> =>
    (await dialog.showMessageBox(await front(), { ...options, noLink: true })).response
  /** Whoever closes the dialog, or presses Enter, does not agree. */
  const agrees = async (yes: string, no: string, options: MessageBoxOptions): Promise<boolean> =>
    (await ask({ ...options, buttons: [yes, no], defaultId: 1, cancelId: 1 })) === 0

  return {
    pickFolder: async (near) => {
      const { canceled, filePaths } = await dialog.showOpenDialog(await front(), {
        title: 'Open Project Folder',
        // Electron does not remember the last folder.
        defaultPath: near ?? app.getPath('home'),
        properties: ['openDirectory', 'createDirectory'],
      })
      return canceled ? undefined : filePaths[0]
    },
    pickTarget: async (name) => {
      const { canceled, filePath } = await dialog.showSaveDialog(await front(), {
        title: 'Back Up Data',
        defaultPath: join(app.getPath('documents'), name),
        filters: [{ name: 'SQLite database', extensions: ['sqlite'] }],
      })
      return canceled || filePath === '' ? undefined : filePath
    },
    askTrust: (folder, deniesSchemas) =>
      agrees('Trust Folder', 'Don’t Trust', {
        type: 'question',
        title: 'Trust this folder?',
        message: 'Trust this folder?',
        detail: [
          inOneLine(folder),
          'Programs in this folder can run effects: code with your rights, which can read and change your files and use the network. Trust it only if you trust its authors.',
          ...(deniesSchemas
            ? []
            : [
                'No Node 22.15 or newer was found on this computer. The folder’s configuration and schemas are then evaluated without restrictions as well.',
              ]),
        ].join('\n\n'),
      }),
    confirmReset: (what) =>
      agrees('Delete', 'Cancel', {
        type: 'warning',
        message: what === 'everything' ? 'Delete all data?' : 'Delete all Executions?',
        detail: 'This cannot be undone.',
      }),
    askRestart: async (question) => {
      const response = await ask({
        type: 'question',
        ...question,
        buttons: ['Restart Now', 'Install When I Quit', 'Later'],
        defaultId: 2,
        cancelId: 2,
      })
      return RESTART_ANSWERS[response] ?? 'later'
    },
    askRestartOfReplaced: () =>
      agrees('Restart Now', 'Later', {
        type: 'question',
        message: `Another version of ${APP_NAME} was installed.`,
        detail: [
          'Restart the app to use it. Until then, parts of both versions run.',
          'Executions go on after the restart. Clients cannot reach the runtime for some seconds.',
        ].join('\n\n'),
      }),
    showError: (message) => {
      ask({ type: 'error', message, buttons: ['OK'] }).catch(() => undefined)
    },
    showBackedUp: (file) => {
      ask({ type: 'info', message: 'Your data was backed up', detail: inOneLine(file), buttons: ['OK'] }).catch(
        () => undefined,
      )
    },
  }
}

/** Waits until the user has read it. */
export const showErrorBox = (title: string, content: string): void => dialog.showErrorBox(title, content)
