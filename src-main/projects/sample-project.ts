// The sample project, so that a new user has a Program to run.

import { cp, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Copies the sample of an installed app to a folder that its user may change; an existing copy is kept. Returns the
 * folder.
 */
export const copySample = async (source: string, target: string): Promise<string> => {
  if (await exists(target)) return target
  // An interrupted copy must not look complete.
  const draft = await mkdtemp(join(dirname(target), '.wes-sample-'))
  try {
    await cp(source, draft, { recursive: true })
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
  return target
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
