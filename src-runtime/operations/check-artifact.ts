// Checks an artifact before it is stored, uploaded or from source.

import { ApiError } from '../contract/errors.ts'
import type { Artifact, Manifest } from '../contract/models.ts'
import { isWithin, RETRY_LIMITS } from '../shared/retry-limits.ts'
import { durationMs } from '../shared/durations.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'

type CheckingPorts = {
  readonly hosts: Pick<OperationPorts['hosts'], 'check'>
  readonly schemas: Pick<OperationPorts['schemas'], 'faultOf'>
} & Pick<OperationPorts, 'checkEffects'>

/** Lists show many manifests and descriptions at a time. */
const MANIFEST_LIMIT_CHARACTERS = 256 * 1024
const DESCRIPTION_LIMIT_CHARACTERS = 16 * 1024

export const refuseBrokenUnicode = ({ program, effects, manifest = {}, description = '' }: Artifact) => {
  const texts = [program.code, program.sourceMap, effects?.code, effects?.sourceMap, description]
  if (texts.some((text) => text !== undefined && !text.isWellFormed())) {
    throw new ApiError('invalid_request', 'body must be well-formed Unicode: there is half of a surrogate pair')
  }
  for (const list of ['events', 'effects'] as const) {
    for (const [index, { name }] of (manifest[list] ?? []).entries()) {
      if (name.isWellFormed()) continue
      throw new ApiError('invalid_request', `body/manifest/${list}/${index}/name must be well-formed Unicode`)
    }
  }
}

/** The schema has checked numbers; durations in text are only known once they are parsed. */
export const refuseBadIntervals = ({ manifest = {} }: Artifact) => {
  for (const [index, { retry = {} }] of (manifest.effects ?? []).entries()) {
    for (const member of ['initialInterval', 'maxInterval'] as const) {
      if (retry[member] === undefined || isWithin(RETRY_LIMITS.intervalMs, durationMs(retry[member]))) continue
      throw new ApiError(
        'invalid_request',
        `body/manifest/effects/${index}/retry/${member} must be a duration of at most 365 days`,
      )
    }
  }
}

export const refuseUnusable = async (
  { hosts, schemas, checkEffects }: CheckingPorts,
  { description = '', manifest = {}, program, effects }: Artifact,
  manifestText: string,
) => {
  if (description.length > DESCRIPTION_LIMIT_CHARACTERS) {
    throw new ApiError('invalid_artifact', `description is longer than ${DESCRIPTION_LIMIT_CHARACTERS} characters`)
  }
  if (manifestText.length > MANIFEST_LIMIT_CHARACTERS) {
    throw new ApiError('invalid_artifact', `manifest is longer than ${MANIFEST_LIMIT_CHARACTERS} characters`)
  }
  const fault = listedTwice(manifest) ?? (await schemas.faultOf(manifest, manifestText))
  if (fault !== undefined) throw new ApiError('invalid_artifact', fault)
  const check = await hosts.check(program)
  if (!check.ok) throw new ApiError('invalid_artifact', check.message)
  const effectsFault = effects && (await checkEffects?.(effects))
  if (effectsFault !== undefined) throw new ApiError('invalid_artifact', effectsFault)
}

const listedTwice = (manifest: Manifest): string | undefined => {
  for (const list of ['events', 'effects'] as const) {
    const known = new Set<string>()
    for (const [index, { name }] of (manifest[list] ?? []).entries()) {
      if (known.has(name)) return `manifest/${list}/${index}/name: ${JSON.stringify(name)} is listed twice`
      known.add(name)
    }
  }
  return undefined
}

/** Why an artifact from source is refused; undefined if it is not. */
export const artifactFault = async (
  ports: CheckingPorts,
  artifact: Artifact,
  manifestText: string,
): Promise<string | undefined> => {
  try {
    refuseBrokenUnicode(artifact)
    await refuseUnusable(ports, artifact, manifestText)
    return undefined
  } catch (error) {
    // With another status, it could not be checked now.
    if (error instanceof ApiError && error.status < 429) return error.message
    throw error
  }
}
