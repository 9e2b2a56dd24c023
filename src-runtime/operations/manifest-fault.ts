// Whether the schemas of a manifest can be used, decided once, at deploy.

import { Check, Errors } from 'typebox/schema'
import { ApiError } from '../contract/errors.ts'
import type { Manifest } from '../contract/models.ts'
import { boundedCall } from './bounded-call.ts'
import type { JsonText } from '../engine/journal.ts'
import { hereUpTo, unlimitedUpTo, type Schema } from './check-json-schema.ts'
import { schemaFault } from './schema-fault.ts'

/** Of one schema. */
const TRIAL_TIMEOUT_MS = 250
/** Processor time of all schemas of a manifest together. */
const TRIALS_TIMEOUT_MS = 500

/** Values on which a usable schema gives an answer, whatever it is. */
const SAMPLES: readonly unknown[] = [null, true, 0, 1.5, '', 'sample', [], [{}], {}, { sample: {} }]
const SAMPLES_CHARACTERS = JSON.stringify(SAMPLES).length

/** Whether the schemas need no thread. */
export const isQuickManifest = (manifest: JsonText): boolean => SAMPLES_CHARACTERS <= hereUpTo(manifest)

/** Why the schemas of a manifest cannot be used, beginning with the path; undefined when they can. */
export const manifestFault = (manifest: Manifest): string | undefined => {
  const schemas = schemasOf(manifest)
  const isUnlimited = SAMPLES_CHARACTERS <= unlimitedUpTo(JSON.stringify(schemas))
  let leftMs = TRIALS_TIMEOUT_MS
  for (const [path, schema] of schemas) {
    const tryOne = () => faultOf(schema, path)
    try {
      let fault: string | undefined
      if (isUnlimited) fault = tryOne()
      else {
        const before = process.threadCpuUsage()
        const outcome = leftMs > 0 ? boundedCall(TRIAL_TIMEOUT_MS, tryOne) : TOO_SLOW
        const { user, system } = process.threadCpuUsage(before)
        leftMs -= (user + system) / 1_000
        fault = outcome.kind === 'done' ? outcome.value : `${path} cannot be used: checking small values takes too long`
      }
      if (fault !== undefined) return fault
    } catch (error) {
      if (error instanceof ApiError) throw error
      return `${path} cannot be used: it makes the validator fail`
    }
  }
  return undefined
}

const TOO_SLOW = { kind: 'too_slow' } as const

const faultOf = (schema: Schema, path: string): string | undefined => {
  const fault = schemaFault(schema, path)
  if (fault !== undefined) return fault
  for (const sample of SAMPLES) if (!Check(schema, sample)) Errors(schema, sample)
  return undefined
}

const schemasOf = (manifest: Manifest): readonly (readonly [path: string, schema: Schema])[] => {
  const found: [string, Schema | undefined][] = [['manifest/inputSchema', manifest.inputSchema]]
  for (const [index, { payloadSchema }] of (manifest.events ?? []).entries()) {
    found.push([`manifest/events/${index}/payloadSchema`, payloadSchema])
  }
  return found.filter((one): one is [string, Schema] => one[1] !== undefined)
}
