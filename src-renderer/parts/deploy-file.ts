// Deploys one artifact from a file, or says what the file is instead. Loaded when the user deploys files.

import type { Program, ProgramArtifact, ServiceClient } from '#sdk/index.ts'
import { failureOf, untitledWordsOf } from '../api/failures.ts'
import { desktop } from '../desktop.ts'
import { bytes } from './format.ts'

export type DeployOutcome =
  | { readonly kind: 'deployed'; readonly program: Program }
  | { readonly kind: 'refused'; readonly message: string }

const LARGEST_BYTES = 16 * 1024 * 1024

const refused = (message: string): DeployOutcome => ({ kind: 'refused', message })

const tooLarge = (size: number): DeployOutcome =>
  refused(`The file is ${bytes(size)}. An artifact may be up to ${bytes(LARGEST_BYTES)}.`)

/** What a file is that its name already tells to be no artifact. */
const noArtifact = (name: string): string | undefined => {
  if (/\.wes-run\.json$/i.test(name)) return `It offers the start of an Execution. ${OPEN_RUN_FILE}`
  if (/\.[cm]?[jt]sx?$/i.test(name)) {
    return 'It is source code. Save it in programs/ of your project folder, or build artifacts from it with wes build.'
  }
  return /\.json$/i.test(name) ? undefined : NO_ARTIFACT
}

const OPEN_RUN_FILE =
  desktop === undefined ? 'Open it with the desktop app instead.' : 'Open it from your file manager instead.'
const NO_ARTIFACT = 'It is not an artifact. wes build makes artifacts (*.program.json).'
const UNREADABLE = `It is a folder, or cannot be read. ${
  desktop === undefined
    ? 'For a folder with Programs, start wes dev in it.'
    : 'Open a folder with Programs in Settings.'
}`

/** An artifact is a JSON object. Of other files, such as a video with a wrong name, no more is read than their beginning. */
const looksLikeObject = (start: string): boolean => /^\uFEFF?\s*(?:\{|$)/.test(start)

const START_BYTES = 1_024

const textOf = (file: File, end: number): Promise<string | undefined> =>
  file
    .slice(0, end)
    .text()
    .catch(() => undefined)

export const deployFile = async (client: Pick<ServiceClient, 'deployProgram'>, file: File): Promise<DeployOutcome> => {
  const start = await textOf(file, START_BYTES)
  if (start === undefined) return refused(UNREADABLE)
  const otherwise = noArtifact(file.name) ?? (looksLikeObject(start) ? undefined : NO_ARTIFACT)
  if (otherwise !== undefined) return refused(otherwise)
  if (file.size > LARGEST_BYTES) return tooLarge(file.size)
  const text = await textOf(file, file.size)
  if (text === undefined) return refused(UNREADABLE)
  let artifact: unknown
  try {
    artifact = JSON.parse(text)
  } catch (error) {
    return refused(`The file is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  try {
    // The service validates its content.
    return { kind: 'deployed', program: await client.deployProgram(artifact as ProgramArtifact) }
  } catch (error) {
    const failure = failureOf(error)
    if (failure.code === 'payload_too_large') return tooLarge(file.size)
    return refused(untitledWordsOf(failure, 'Deploy it again in a moment.'))
  }
}
