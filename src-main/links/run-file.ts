// `*.wes-run.json`: a file that describes a start. Opening one offers the start; the user confirms it.

import { open } from 'node:fs/promises'
import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { RunFile } from '../preload/desktop-api.ts'

export const RUN_FILE_ENDING = '.wes-run.json'

/** An input may be 1 MiB; the rest of the file is small. */
const LARGEST_BYTES = 1_100_000

const RunFileSchema = Type.Object({
  programId: Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$' }),
  input: Type.Optional(Type.Unknown()),
})

/** Throws with a message for the user. */
export const readRunFile = async (path: string): Promise<RunFile> => {
  const text = await readText(path)
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    throw new Error(`${path} is not JSON.`)
  }
  if (!Check(RunFileSchema, content)) {
    throw new Error(`${path} does not say what to run: {"programId": "…", "input": …} is expected.`)
  }
  return content.input === undefined
    ? { programId: content.programId }
    : { programId: content.programId, input: content.input }
}

const readText = async (path: string): Promise<string> => {
  const file = await open(path, 'r')
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new Error(`${path} is not a file.`)
    if (stat.size > LARGEST_BYTES) throw new Error(`${path} is larger than 1 MiB.`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}
