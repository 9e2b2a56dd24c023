// Whether the schemas of a manifest can be used, decided once, at deploy.

import { Check, Errors } from 'typebox/schema'
import { ApiError } from '../contract/errors.ts'
import type { Manifest } from '../contract/models.ts'
import { boundedCall } from './bounded-call.ts'
import { quickUpTo } from './check-json-schema.ts'
import { schemaFault } from './schema-fault.ts'

/** For all schemas of a manifest together. */
const TRIAL_TIMEOUT_MS = 500

/** Values on which a usable schema gives an answer, whatever it is. */
const SAMPLES: readonly unknown[] = [null, true, 0, 1.5, '', 'sample', [], [{}], {}, { sample: {} }]
const SAMPLES_CHARACTERS = JSON.stringify(SAMPLES).length

type Schema = Readonly<Record<string, unknown>> | boolean

/** Why the schemas of a manifest cannot be used, beginning with the path; undefined when they can. */
export const manifestFault = (manifest: Manifest): string | undefined => {
  const schemas = schemasOf(manifest)
  let at = 'manifest'
  const tryAll = () => {
    for (const [path, schema] of schemas) {
      at = path
      const fault = schemaFault(schema, path)
      if (fault !== undefined) return fault
      for (const sample of SAMPLES) if (!Check(schema, sample)) Errors(schema, sample)
    }
    return undefined
  }
  try {
    if (SAMPLES_CHARACTERS <= quickUpTo(JSON.stringify(schemas))) return tryAll()
    const outcome = boundedCall(TRIAL_TIMEOUT_MS, tryAll)
    if (outcome.kind === 'done') return outcome.value
    return `${at} cannot be used: checking small values takes longer than ${TRIAL_TIMEOUT_MS} ms`
  } catch (error) {
    if (error instanceof ApiError) throw error
    return `${at} cannot be used: it makes the validator fail`
  }
}

const schemasOf = (manifest: Manifest): readonly (readonly [path: string, schema: Schema])[] => {
  const found: [string, Schema | undefined][] = [['manifest/inputSchema', manifest.inputSchema]]
  for (const [index, { payloadSchema }] of (manifest.events ?? []).entries()) {
    found.push([`manifest/events/${index}/payloadSchema`, payloadSchema])
  }
  return found.filter((one): one is [string, Schema] => one[1] !== undefined)
}
