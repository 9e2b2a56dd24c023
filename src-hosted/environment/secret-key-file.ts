import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { flushFile, flushFolder } from '../../src-runtime/shared/flush-file.ts'
import { newSecretKeyText } from './secret-keys.ts'

/** Within the data folder of `wes serve`. */
export const SECRET_KEY_FILE = 'secret-key'

/** The text of the keys in a file that only its owner can read; made with one new key where it does not exist. */
export const readOrMakeKeyFile = (file: string): string => {
  const made = `${file}.${randomBytes(6).toString('hex')}`
  // A file appears whole, and never replaces one: two that start at once use the same key.
  writeFileSync(made, `${newSecretKeyText('local')}\n`, { mode: 0o600 })
  try {
    flushFile(made)
    linkSync(made, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(made)
  }
  // Nothing is sealed with a key that a loss of power could take.
  flushFolder(dirname(file))
  return readKeyFile(file)
}

export const readKeyFile = (file: string): string => readFileSync(file, 'utf8').trim()
