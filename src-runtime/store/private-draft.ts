import { rmSync, writeFileSync } from 'node:fs'

const PRIVATE_FILE = 0o600

/** An empty file, as private as the database from the first byte on. Replaces one that a killed process left. */
export const makePrivateDraft = (draft: string): void => {
  rmSync(draft, { force: true })
  writeFileSync(draft, '', { mode: PRIVATE_FILE, flag: 'wx' })
}
