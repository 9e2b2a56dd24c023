// Where the page at `/` comes from: the built dashboard, or the status page where there is none.

import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Of this module's layout: the sources, or a build of them somewhere in `out`, beside the dashboard's build. */
const ROOT = join(import.meta.dirname, '../..')
const BUILT = join('out', 'renderer')

export const findPages = (root: string = ROOT): string => {
  const candidates = [join(root, BUILT), join(root, '../renderer'), join(root, '../../renderer')]
  const dashboard = candidates.find((folder) => folder.endsWith(BUILT) && existsSync(join(folder, 'index.html')))
  return dashboard ?? join(root, 'resources/status-page')
}
