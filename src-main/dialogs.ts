// The platform's dialogs, each for one question.

import { app, dialog } from 'electron'
import { join } from 'node:path'

/** Electron remembers no folder between two of them. */
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

export const complain = (message: string): void => {
  dialog.showMessageBox({ type: 'error', message, buttons: ['OK'] }).catch(() => undefined)
}
