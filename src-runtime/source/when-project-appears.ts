// Waits until a folder is a project, because the compiler is large and most folders do not need it.

import { watch, type FSWatcher } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'

const CONFIG = /^wes\.config\.(?:[cm]?[jt]s|json)$/

/**
 * Calls back once: soon if the folder is or was a project, else when it becomes one. `looked` resolves when that is known;
 * `cancel` ends the watch.
 */
export const whenProjectAppears = (
  folder: string,
  { wasProject, mayWatch }: { readonly wasProject: boolean; readonly mayWatch: boolean },
  onAppear: () => void,
): { readonly looked: Promise<void>; cancel(): void } => {
  let watcher: FSWatcher | undefined
  let mayBeProject = wasProject
  let isOver = false
  const cancel = (): void => {
    isOver = true
    watcher?.close()
  }
  const look = async (): Promise<void> => {
    const names = await readdir(folder).catch(() => [])
    const isProject = mayBeProject || names.some((name) => name === 'programs' || CONFIG.test(name))
    if (isOver || !isProject) return
    cancel()
    onAppear()
  }
  const startWatch = (): void => {
    watcher?.close()
    try {
      watcher = watch(folder, { persistent: false }, (event, file) => {
        // Linux names a folder that was deleted itself. Another one may be in its place.
        if (event === 'rename' && file === basename(folder)) startWatch()
        void look()
      })
      watcher.on('error', () => {
        mayBeProject = true
        void look()
      })
    } catch {
      mayBeProject = true // there is no folder, or the system has no watches left: the source copes with both
    }
  }
  if (mayWatch) startWatch()
  return { looked: look(), cancel }
}
