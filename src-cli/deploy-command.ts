// `wes deploy`: uploads compiled Programs, one after the other.

import { readdir, readFile } from 'node:fs/promises'
import type { ProgramArtifact } from '#sdk/index.ts'
import { CommandFailure, UsageError } from './failures.ts'
import { parseJson, reasonOf } from './json-argument.ts'
import { printAnswer, type Session } from './session.ts'
import { printable } from './text.ts'

const SUFFIX = '.program.json'

/** Without files: every `*.program.json` of the current folder. The first refusal ends it. */
export const deploy = async (session: Session, given: readonly string[]): Promise<void> => {
  const files = given.length > 0 ? given : await filesHere()
  for (const file of files) {
    const program = await session.client.deployProgram(await readArtifact(session, file))
    if (session.json) {
      await printAnswer(session)
      continue
    }
    const { number, runnable } = program.latestVersion
    const change = session.lastAnswer().status === 201 ? 'deployed' : 'unchanged'
    await session.terminal.out(`${change} ${printable(program.id)} version ${number}\n`)
    if (!runnable) {
      session.terminal.err(`${printable(program.id)} version ${number} is stored, but this service cannot run it\n`)
    }
  }
}

const filesHere = async (): Promise<readonly string[]> => {
  const files = (await readdir('.')).filter((name) => name.endsWith(SUFFIX)).sort()
  if (files.length === 0) throw new UsageError(`name the files to deploy: this folder has no *${SUFFIX}`)
  return files
}

const readArtifact = async (session: Session, file: string): Promise<ProgramArtifact> => {
  let content: string
  try {
    content = file === '-' ? await session.sources.readStdin() : await readFile(file, 'utf8')
  } catch (error) {
    throw new CommandFailure('file_unreadable', `cannot read ${file}: ${reasonOf(error)}`)
  }
  try {
    // The service checks the shape, and says what is wrong with it.
    return parseJson(file === '-' ? 'standard input' : file, content) as ProgramArtifact
  } catch (error) {
    if (error instanceof UsageError) throw new CommandFailure('invalid_request', error.message)
    throw error
  }
}
