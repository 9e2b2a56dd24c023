// Waits until a folder is a project, because the compiler is large and most folders do not need it.

import { readdir } from 'node:fs/promises'
import { isMissing, isOfPath } from '../shared/stat-of.ts'
import { CONFIG_NAMES } from './config-names.ts'
import { watchFolders } from './watch-folders.ts'

/**
 * Calls back once: soon if the folder is or was a project, else when it becomes one, of which only a part may be there by then
 * (`isNew`). `looked` resolves when that is known; `cancel` ends the watch.
 */
export const whenProjectAppears = (
  folder: string,
  { wasProject, mayWatch }: { readonly wasProject: boolean; readonly mayWatch: boolean },
  onAppear: (isNew: boolean) => void,
): { readonly looked: Promise<void>; cancel(): void } => {
  // The source copes with a folder that is missing, and with a system that has no watches left.
  let mayBeProject = wasProject
  let isOver = false
  let isNew = false
  const onTrouble = (): void => {
    mayBeProject = true
  }
  const watching = mayWatch ? watchFolders(() => void look(), onTrouble) : undefined
  const cancel = (): void => {
    isOver = true
    watching?.stop()
  }
  const look = async (): Promise<void> => {
    // Watches before it reads, so that no change between the two is missed.
    watching?.set([folder])
    // As while the system opens no more files: the source says so, and tries again.
    const names = await readdir(folder).catch((error: unknown) => {
      mayBeProject ||= !isOfPath(error)
      return []
    })
    const isProject =
      mayBeProject ||
      (mayWatch && isMissing(folder)) ||
      names.some((name) => name === 'programs' || CONFIG_NAMES.includes(name))
    if (!isProject) isNew = true
    if (isOver || !isProject) return
    cancel()
    onAppear(isNew)
  }
  return { looked: look(), cancel }
}
