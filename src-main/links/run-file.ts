// `*.wes-run.json`: a file that describes a start. Opening one offers the start; the user confirms it.

import { constants, open } from 'node:fs/promises'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { isDeeperThan, JSON_DEPTH_LIMIT } from '../../src-runtime/shared/json-depth.ts'
import { PROGRAM_ID_PATTERN } from '../../src-runtime/shared/patterns.ts'
import type { RunFile } from '../preload/desktop-api.ts'

export const RUN_FILE_ENDING = '.wes-run.json'

/** An input may be 1 MiB; the rest of the file is small. */
const LARGEST_BYTES = 1_100_000

const RunFileSchema = Type.Object({
  programId: Type.String({ pattern: PROGRAM_ID_PATTERN }),
  input: Type.Optional(Type.Unknown()),
})

/** Throws with a message for the user. */
export const readRunFile = async (path: string): Promise<RunFile> => {
  const bytes = await readBytes(path)
  if (isDeeperThan(bytes, JSON_DEPTH_LIMIT))
    throw new Error(`${path} is nested deeper than ${JSON_DEPTH_LIMIT} levels.`)
  let text: string
  let content: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    content = JSON.parse(text)
  } catch {
    throw new Error(`${path} is not JSON.`)
  }
  if (!Check(RunFileSchema, content)) {
    throw new Error(`${path} does not say what to run: {"programId": "…", "input": …} is expected.`)
  }
  return { programId: content.programId, text }
}

const readBytes = async (path: string): Promise<Buffer> => {
  // Opening a named pipe would wait for ever.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new Error(`${path} does not exist.`, { cause: error })
    throw error
  })
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new Error(`${path} is not a file.`)
    if (stat.size > LARGEST_BYTES) throw new Error(`${path} is larger than 1 MiB.`)
    return await file.readFile()
  } finally {
    await file.close()
  }
}
