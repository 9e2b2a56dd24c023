// Whether a build is made of the files that are there now. By content: a checkout, an install or a copy gives every file
// a new time, and a build of the same text stays good.

import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TARGETS, TEST_FILE, type Target, type TargetName } from './targets.ts'

/** Changes when any input changes, comes or goes. */
export const fingerprintOf = ({ inputs }: Pick<Target, 'inputs'>, root: string): string => {
  const files = globSync(inputs, { cwd: root, exclude: ['**/dist/**', '**/node_modules/**'] })
  const hash = createHash('sha256')
  for (const file of files.map((path) => path.replaceAll('\\', '/')).toSorted()) {
    if (TEST_FILE.test(file)) continue
    const content = createHash('sha256').update(readFileSync(join(root, file)))
    hash.update(`${file}\0${content.digest('hex')}\n`)
  }
  return hash.digest('hex')
}

const stampOf = (name: TargetName, root: string): string => join(root, 'out/.built', name)

export const isFresh = (name: TargetName, root: string): boolean => {
  const target = TARGETS[name]
  if (!existsSync(join(root, target.output))) return false
  try {
    return readFileSync(stampOf(name, root), 'utf8') === fingerprintOf(target, root)
  } catch {
    return false
  }
}

/** `fingerprint` is that of before the build: what changed meanwhile makes it stale. */
export const markBuilt = (name: TargetName, fingerprint: string, root: string): void => {
  const stamp = stampOf(name, root)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, fingerprint)
}

/** Another build is about to write to the same place. */
export const markStale = (name: TargetName, root: string): void => rmSync(stampOf(name, root), { force: true })
