// The sample project, so that there is something to run at once.

import { cp, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * Copies what an installed app carries to where its user may change it; a copy that is there stays as it is. Answers the
 * copy's folder.
 */
export const copySample = async (source: string, target: string): Promise<string> => {
  if (await exists(target)) return target
  // A copy that was cut short must not be taken for the whole.
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
