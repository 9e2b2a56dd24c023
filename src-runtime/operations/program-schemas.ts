// The schemas that Programs declare for their input and their events, ready to check with. Kept for the versions that
// were used last; a version never changes.

import { ApiError } from '../contract/errors.ts'
import type { Manifest } from '../contract/models.ts'
import type { JsonText } from '../engine/journal.ts'
import type { VersionRecord } from '../store/store.ts'
import { CHECK_TIMEOUT_MS, createSchemaCheck, type CheckOutcome, type SchemaCheck } from './check-json-schema.ts'
import { schemaFault } from './schema-fault.ts'

export type ProgramSchemas = {
  /** Throws `invalid_input`. An input that was not given counts as null. */
  checkInput(version: VersionRecord, input: unknown, text: JsonText | undefined): void
  /** Throws `invalid_input`. An event without a schema takes anything. */
  checkPayload(version: VersionRecord, event: string, payload: unknown, text: JsonText | undefined): void
}

type Entry = {
  readonly input: SchemaCheck | undefined
  readonly events: ReadonlyMap<string, SchemaCheck>
  readonly characters: number
  /** A schema that was too slow once is not tried again before this time (ms since the epoch). */
  restsUntil: number
}

const REST_MS = 10_000
const KEPT_CHARACTERS = 16 * 1024 * 1024
const KEPT_VERSIONS = 1_000

export const createProgramSchemas = (now: () => number): ProgramSchemas => {
  const entries = new Map<string, Entry>()
  let characters = 0

  const entryOf = (version: VersionRecord): Entry => {
    const known = entries.get(version.id)
    if (known !== undefined) return known
    const entry = prepare(version.manifest)
    entries.set(version.id, entry)
    characters += entry.characters
    for (const [id, oldest] of entries) {
      if (id === version.id || (characters <= KEPT_CHARACTERS && entries.size <= KEPT_VERSIONS)) break
      entries.delete(id)
      characters -= oldest.characters
    }
    return entry
  }

  const run = (entry: Entry, check: SchemaCheck, name: string, value: unknown, text: JsonText | undefined) => {
    const outcome: CheckOutcome =
      entry.restsUntil > now() ? { kind: 'too_slow' } : check(name, value ?? null, text ?? 'null')
    if (outcome.kind === 'valid') return
    if (outcome.kind === 'too_slow' && entry.restsUntil <= now()) entry.restsUntil = now() + REST_MS
    throw new ApiError('invalid_input', refusal(name, outcome))
  }

  return {
    checkInput(version, input, text) {
      const entry = entryOf(version)
      if (entry.input !== undefined) run(entry, entry.input, 'input', input, text)
    },
    checkPayload(version, event, payload, text) {
      const entry = entryOf(version)
      const check = entry.events.get(event)
      if (check !== undefined) run(entry, check, 'payload', payload, text)
    },
  }
}

const refusal = (name: string, outcome: Exclude<CheckOutcome, { kind: 'valid' }>): string => {
  switch (outcome.kind) {
    case 'invalid':
      return outcome.message
    case 'too_slow':
      return `${name} cannot be checked against the Program's schema within ${CHECK_TIMEOUT_MS} ms: make the schema simpler`
    case 'unusable':
      return `${name} cannot be checked: the Program's schema fails on it`
  }
}

const prepare = (manifestText: JsonText): Entry => {
  const manifest = JSON.parse(manifestText) as Manifest
  const events = new Map<string, SchemaCheck>()
  for (const { name, payloadSchema } of manifest.events ?? []) {
    if (payloadSchema !== undefined && !events.has(name)) events.set(name, createSchemaCheck(payloadSchema))
  }
  const input = manifest.inputSchema === undefined ? undefined : createSchemaCheck(manifest.inputSchema)
  return { input, events, characters: manifestText.length, restsUntil: 0 }
}

/** Values on which a usable schema gives an answer, whatever it is. */
const SAMPLES: readonly unknown[] = [null, true, 0, 1.5, '', 'sample', [], [{}], {}, { sample: {} }]

/** Why the schemas of a manifest cannot be used; undefined when they can. */
export const manifestFault = (manifest: Manifest): string | undefined => {
  const declared: [string, Manifest['inputSchema']][] = [['manifest/inputSchema', manifest.inputSchema]]
  for (const [index, event] of (manifest.events ?? []).entries()) {
    declared.push([`manifest/events/${index}/payloadSchema`, event.payloadSchema])
  }
  for (const [at, schema] of declared) {
    if (schema === undefined) continue
    const fault = schemaFault(schema, at) ?? trialFault(at, schema)
    if (fault !== undefined) return fault
  }
  return undefined
}

const trialFault = (at: string, schema: Readonly<Record<string, unknown>> | boolean): string | undefined => {
  const check = createSchemaCheck(schema)
  for (const sample of SAMPLES) {
    const outcome = check('sample', sample, JSON.stringify(sample))
    if (outcome.kind === 'unusable') return `${at} makes the validator fail`
    if (outcome.kind === 'too_slow') return `${at} takes longer than ${CHECK_TIMEOUT_MS} ms to check a small value`
  }
  return undefined
}
