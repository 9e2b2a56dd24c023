// Checks whether a build is up to date with its sources. Compares content, because a checkout, an install or a copy
// changes the times of files.

import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { TARGETS, TEST_FILE, type Target, type TargetName } from './targets.ts'

/** Changes when an input is changed, added or removed. */
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

/** `fingerprint` is from before the build, so that a change during the build makes it stale. */
export const markBuilt = (name: TargetName, fingerprint: string, root: string): void => {
  const stamp = stampOf(name, root)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, fingerprint)
}

/** Call this before another build writes to the same place. */
export const markStale = (name: TargetName, root: string): void => rmSync(stampOf(name, root), { force: true })
