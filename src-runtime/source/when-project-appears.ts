// Waits until a folder is a project, because the compiler is large and most folders do not need it.

import { existsSync, watch, type FSWatcher } from 'node:fs'
import { readdir } from 'node:fs/promises'

const CONFIG = /^wes\.config\.(?:[cm]?[jt]s|json)$/

/** Calls back once: now if the folder is or was a project, else when it becomes one. Returns a function that cancels it. */
export const whenProjectAppears = (
  folder: string,
  { wasProject, mayWatch }: { readonly wasProject: boolean; readonly mayWatch: boolean },
  onAppear: () => void,
): (() => void) => {
  let watcher: FSWatcher | undefined
  let isOver = false
  const end = (): void => {
    isOver = true
    watcher?.close()
  }
  const look = async (): Promise<void> => {
    const names = await readdir(folder).catch(() => [])
    const isProject = wasProject || names.some((name) => name === 'programs' || CONFIG.test(name))
    if (isOver || !isProject) return
    end()
    onAppear()
  }
  if (mayWatch && existsSync(folder)) {
    watcher = watch(folder, { persistent: false }, () => void look())
    watcher.on('error', () => watcher?.close()) // the folder was deleted
  }
  void look()
  return end
}
