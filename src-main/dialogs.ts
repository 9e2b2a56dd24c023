// The platform's dialogs, each for one question.

import { app, dialog } from 'electron'
import { join } from 'node:path'
import { withEscapes } from '../src-renderer/ui/hidden-characters.ts'
import type { RestartAnswer } from './updates/restart-question.ts'

/** Electron does not remember the last folder. */
export const pickFolder = async (near: string | null): Promise<string | undefined> => {
  const { canceled, filePaths } = await dialog.showOpenDialog({
    title: 'Open Project Folder',
    defaultPath: near ?? app.getPath('home'),
    properties: ['openDirectory', 'createDirectory'],
  })
  return canceled ? undefined : filePaths[0]
}

export const pickTarget = async (name: string): Promise<string | undefined> => {
  const { canceled, filePath } = await dialog.showSaveDialog({
    title: 'Back Up Data',
    defaultPath: join(app.getPath('documents'), name),
    filters: [{ name: 'SQLite database', extensions: ['sqlite'] }],
  })
  return canceled || filePath === '' ? undefined : filePath
}

/** `deniesSchemas`: whether the folder's configuration is evaluated without access to files and the network. */
export const askTrust = async (folder: string, deniesSchemas: boolean): Promise<boolean> => {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    title: 'Trust this folder?',
    message: 'Trust this folder?',
    detail: [
      withEscapes(folder),
      'Programs in this folder can run effects: code with your rights, which can read and change your files and use the network. Trust it only if you trust its authors.',
      ...(deniesSchemas
        ? []
        : [
            'No Node 22.15 or newer was found on this computer. The folder’s configuration and schemas are then evaluated without restrictions as well.',
          ]),
    ].join('\n\n'),
    buttons: ['Trust Folder', 'Don’t Trust'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  })
  return response === 0
}

export const confirmReset = async (what: 'executions' | 'everything'): Promise<boolean> => {
  const { response } = await dialog.showMessageBox({
    type: 'warning',
    message: what === 'everything' ? 'Delete all data?' : 'Delete all Executions?',
    detail: 'This cannot be undone.',
    buttons: ['Delete', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  })
  return response === 0
}

const RESTART_ANSWERS: readonly RestartAnswer[] = ['now', 'on-quit', 'later']

export const askRestart = async (question: {
  readonly message: string
  readonly detail: string
}): Promise<RestartAnswer> => {
  const { response } = await dialog.showMessageBox({
    type: 'question',
    ...question,
    buttons: ['Restart Now', 'Install When I Quit', 'Later'],
    defaultId: 2,
    cancelId: 2,
    noLink: true,
  })
  return RESTART_ANSWERS[response] ?? 'later'
}

/** Waits until the user has read it. */
export const showErrorBox = (title: string, content: string): void => dialog.showErrorBox(title, content)

export const showError = (message: string): void => {
  dialog.showMessageBox({ type: 'error', message, buttons: ['OK'] }).catch(() => undefined)
}
