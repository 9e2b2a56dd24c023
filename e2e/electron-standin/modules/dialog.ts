import type { Dialog } from 'electron'
import { emulate } from '../emulate.ts'

/** Throws for a dialog without a prepared answer, which would hang. */
const unanswered = (name: string) => (): never => {
  throw new Error(
    `stand-in: dialog.${name} has nobody to answer it; a test answers with ` +
      `electronApp.evaluate(({ dialog }) => { dialog.${name} = async () => (…) })`,
  )
}

export const dialog = emulate<Dialog>()('dialog', {
  showMessageBox: unanswered('showMessageBox'),
  showMessageBoxSync: unanswered('showMessageBoxSync'),
  showOpenDialog: unanswered('showOpenDialog'),
  showOpenDialogSync: unanswered('showOpenDialogSync'),
  showSaveDialog: unanswered('showSaveDialog'),
  showSaveDialogSync: unanswered('showSaveDialogSync'),
  /** Has no answer. Electron also writes it here if it has no window yet. */
  showErrorBox: (title, content) => console.error(`${title}\n${content}`),
})
