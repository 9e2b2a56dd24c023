// Loaded before the app (`-r`): records the app's calls to the system instead of running them, and gives dialogs the
// answers that a test prepared. The same on every Electron.

/* oxlint-disable typescript/no-require-imports -- Electron requires it */

const { BrowserWindow, dialog, Menu, Notification, shell, Tray } = require('electron')

const record = {
  opened: [],
  notifications: [],
  dialogs: [],
  errorBoxes: [],
  answers: [],
  popups: [],
  tray: null,
  trayMenu: null,
  trayTip: '',
}
globalThis.desktopRecord = record

const open = (how, answer) => async (what) => {
  record.opened.push({ how, what })
  return answer
}
shell.openExternal = open('openExternal')
shell.openPath = open('openPath', '')
shell.showItemInFolder = (what) => void record.opened.push({ how: 'showItemInFolder', what })

const answered =
  (how) =>
  async (...given) => {
    const options = given.at(-1)
    const shown = {
      how,
      title: options.title ?? '',
      message: options.message ?? '',
      detail: options.detail ?? '',
      isInWindow: given[0] instanceof BrowserWindow && given[0].isVisible(),
      isWithdrawn: false,
    }
    record.dialogs.push(shown)
    const index = record.answers.findIndex((one) => one.how === how)
    if (index >= 0) return record.answers.splice(index, 1)[0].answer
    // Never answers, like an absent user.
    return new Promise((resolve) => {
      options.signal?.addEventListener('abort', () => {
        shown.isWithdrawn = true
        resolve({ response: options.cancelId })
      })
    })
  }
for (const how of ['showMessageBox', 'showOpenDialog', 'showSaveDialog']) dialog[how] = answered(how)
dialog.showErrorBox = (title, content) => record.errorBoxes.push({ title, content })

Notification.prototype.show = function () {
  record.notifications.push(this)
}

Menu.prototype.popup = function () {
  record.popups.push(this)
}

const { setContextMenu, setToolTip } = Tray.prototype
Tray.prototype.setContextMenu = function (menu) {
  record.tray = this
  record.trayMenu = menu
  setContextMenu.call(this, menu)
}
Tray.prototype.setToolTip = function (tip) {
  record.trayTip = tip
  setToolTip.call(this, tip)
}
