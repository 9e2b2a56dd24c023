// Most folders are no projects, and the compiler is large: it is loaded once there is something for it.

import { existsSync, watch, type FSWatcher } from 'node:fs'
import { readdir } from 'node:fs/promises'

const CONFIG = /^wes\.config\.(?:[cm]?[jt]s|json)$/

/** Calls back once: soon, when the folder is or was a project, else when it becomes one. Answers what calls it off. */
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
    watcher.on('error', () => watcher?.close()) // the folder went away, and with it the project
  }
  void look()
  return end
}
