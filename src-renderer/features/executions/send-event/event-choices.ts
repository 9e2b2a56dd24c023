// The names for an event: first those that the Execution waits for, then those that its Program declares. Pure.

import type { Execution, JsonSchema, ProgramManifest } from '#sdk/index.ts'

export type EventChoice = {
  readonly name: string
  /** Since when the Execution waits for it, as ISO 8601. */
  readonly since?: string | undefined
  readonly timeoutAt?: string | undefined
}

type Declared = NonNullable<ProgramManifest['events']>

export const eventChoices = (
  waitingFor: Execution['waitingFor'],
  declared: Declared,
): { readonly awaited: readonly EventChoice[]; readonly others: readonly EventChoice[] } => {
  const names = new Set(declared.map(({ name }) => name))
  const awaited = new Map<string, EventChoice>()
  for (const one of waitingFor) {
    // Of several waits for one name, the oldest takes the event.
    if (one.kind !== 'event' || awaited.has(one.name)) continue
    awaited.set(one.name, { name: one.name, since: one.since, timeoutAt: one.timeoutAt })
  }
  return {
    awaited: [...awaited.values()],
    others: [...names].filter((name) => !awaited.has(name)).map((name) => ({ name })),
  }
}

export const payloadSchemaOf = (declared: Declared, name: string): JsonSchema | undefined =>
  declared.find((event) => event.name === name)?.payloadSchema

const LONGEST_NAME = 200

/** The fault of a name; undefined when it is valid. */
export const eventNameFault = (name: string): string | undefined => {
  if (name === '') return 'Give the event a name'
  return [...name].length > LONGEST_NAME ? `A name has at most ${LONGEST_NAME} characters` : undefined
}
