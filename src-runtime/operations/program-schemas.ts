// The schemas that Programs declare for their input and their events, ready to check with. Kept for the versions that
// were used last; a version never changes.

import { ApiError } from '../contract/errors.ts'
import type { Manifest } from '../contract/models.ts'
import type { JsonText } from '../engine/journal.ts'
import type { ProgramSchemas } from '../ports/operation-ports.ts'
import type { VersionRecord } from '../ports/programs.ts'
import { createSizedMap } from '../shared/sized-map.ts'
import { createSchemaCheck, hereUpTo, type CheckOutcome, type Schema, type SchemaCheck } from './check-json-schema.ts'
import { isQuickManifest, manifestFault } from './manifest-fault.ts'
import type { SchemaThreads } from './schema-threads.ts'

type Declared = {
  readonly text: JsonText
  readonly check: SchemaCheck
  /** Longer values are checked in a thread. */
  readonly hereCharacters: number
}

type Entry = {
  readonly input: Declared | undefined
  readonly events: ReadonlyMap<string, Declared>
  readonly characters: number
}

const KEPT_CHARACTERS = 16 * 1024 * 1024
/** What one counts for at least, so that those of 1,024 versions are kept at most. */
const LEAST_CHARACTERS = 16 * 1024

/** For each tenant. */
export const createProgramSchemas = (threads: SchemaThreads): ((tenant: string) => ProgramSchemas) => {
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

  return (tenant) => {
    const run = (
      declared: Declared | undefined,
      { id }: VersionRecord,
      name: string,
      value: unknown,
      text: JsonText = 'null',
    ): void | Promise<void> => {
      if (declared === undefined) return
      if (text.length <= declared.hereCharacters)
        return refuseUnlessValid(name, declared.check(name, value ?? null, text))
      const checked = threads.check(tenant, id, { schema: declared.text, name, value: text })
      return checked.then((outcome) => refuseUnlessValid(name, outcome))
    }
    return {
      checkInput: (version, input, text) => run(entryOf(version).input, version, 'input', input, text),
      checkPayload: (version, event, payload, text) =>
        run(entryOf(version).events.get(event), version, 'payload', payload, text),
      faultOf: (manifest, text) =>
        isQuickManifest(text) ? manifestFault(manifest) : threads.manifestFault(tenant, text),
    }
  }
}

const refuseUnlessValid = (name: string, outcome: CheckOutcome): void => {
  if (outcome.kind !== 'valid') throw new ApiError('invalid_input', refusal(name, outcome))
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
  const events = new Map<string, Declared>()
  for (const { name, payloadSchema } of manifest.events ?? []) {
    if (payloadSchema !== undefined && !events.has(name)) events.set(name, declare(payloadSchema))
  }
  const input = manifest.inputSchema === undefined ? undefined : declare(manifest.inputSchema)
  return { input, events, characters: manifestText.length }
}

const declare = (schema: Schema): Declared => {
  const text = JSON.stringify(schema)
  return { text, check: createSchemaCheck(schema, text), hereCharacters: hereUpTo(text) }
}
