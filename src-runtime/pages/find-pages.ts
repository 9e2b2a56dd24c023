// Finds the files of the page at `/`: the built dashboard, or the status page if it is not built.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The root of the sources, or of a build in `out`, where the dashboard's build is too. */
const ROOT = join(import.meta.dirname, '../..')
const BUILT = join('out', 'renderer')

export const findPages = (root: string = ROOT): string => {
  const candidates = [join(root, BUILT), join(root, '../renderer'), join(root, '../../renderer')]
  const dashboard = candidates.find((folder) => folder.endsWith(BUILT) && existsSync(join(folder, 'index.html')))
  return dashboard ?? join(root, 'resources/status-page')
}
