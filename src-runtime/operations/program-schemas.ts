// The schemas that Programs declare for their input and their events, ready to check with. Kept for the versions that
// were used last; a version never changes.

import { ApiError } from '../contract/errors.ts'
import type { Manifest } from '../contract/models.ts'
import type { JsonText } from '../engine/journal.ts'
import type { ProgramSchemas } from '../ports/operation-ports.ts'
import type { VersionRecord } from '../ports/programs.ts'
import { createSizedMap } from '../shared/sized-map.ts'
import { createSchemaCheck, type CheckOutcome, type SchemaCheck } from './check-json-schema.ts'

type Entry = {
  readonly input: SchemaCheck | undefined
  readonly events: ReadonlyMap<string, SchemaCheck>
  readonly characters: number
  /** A schema that was too slow once is not tried again before this time (ms since the epoch). */
  restsUntil: number
}

const REST_MS = 10_000
const KEPT_CHARACTERS = 16 * 1024 * 1024
/** What one counts for at least, so that those of 1,024 versions are kept at most. */
const LEAST_CHARACTERS = 16 * 1024

export const createProgramSchemas = (now: () => number): ProgramSchemas => {
  const entries = createSizedMap<string, Entry>(KEPT_CHARACTERS, ({ characters }) =>
    Math.max(characters, LEAST_CHARACTERS),
  )

  const entryOf = (version: VersionRecord): Entry => {
    const known = entries.get(version.id)
    if (known !== undefined) return known
    const entry = prepare(version.manifest)
    entries.set(version.id, entry)
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
      return `${name} cannot be checked against the Program's schema in a reasonable time: make the schema simpler`
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
