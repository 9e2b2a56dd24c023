// Reads the engine's files from their package and checks their hashes.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { EngineFile } from './engine-files.ts'

export const readPinned = ({ file, sha256 }: EngineFile): Buffer<ArrayBuffer> => {
  const bytes = readFileSync(fileURLToPath(import.meta.resolve(`quickjs-wasi/${file}`)))
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== sha256) throw new Error(`${file} of quickjs-wasi is not the pinned build: ${found}, not ${sha256}`)
  return bytes
}
