// The sample project, so that a new user has a Program to run.

import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { replaceFileLater } from '../../src-runtime/shared/replace-file.ts'
import { notStored } from '../refused-error.ts'

/** `isNew`: it holds the app's own files only. */
export type PlacedSample = { readonly folder: string; readonly isNew: boolean }

/** Copies the sample of an installed app to a folder that its user may change; what is there already is kept. */
export const copySample = async (source: string, target: string): Promise<PlacedSample> => {
  if (await exists(target)) return { folder: target, isNew: false }
  try {
    await mkdir(dirname(target), { recursive: true })
    // An interrupted copy must not look complete.
    await copyBy(await mkdtemp(join(dirname(target), '.wes-sample-')), source, target)
  } catch (error) {
    // The user has clicked twice.
    if (await exists(target)) return { folder: target, isNew: false }
    throw notStored('The sample project', target, error)
  }
  return { folder: target, isNew: true }
}

const copyBy = async (draft: string, source: string, target: string): Promise<void> => {
  try {
    await copyFolder(source, draft)
    await replaceFileLater(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

/** Electron reads the files of its archive only one by one. */
const copyFolder = async (source: string, target: string): Promise<void> => {
  await mkdir(target, { recursive: true })
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory()) await copyFolder(from, to)
    else await writeFile(to, await readFile(from))
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
