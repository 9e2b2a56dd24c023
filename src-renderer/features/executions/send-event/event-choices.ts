// The names that an event to an Execution may have: what it waits for comes first, then what its Program declares. Pure.

import type { Execution, JsonSchema, ProgramManifest } from '#sdk/index.ts'

export type EventChoice = {
  readonly name: string
  /** ISO 8601, when it waits for this now. */
  readonly since?: string | undefined
  readonly timeoutAt?: string | undefined
  readonly isDeclared: boolean
}

type Declared = NonNullable<ProgramManifest['events']>

export const eventChoices = (
  waitingFor: Execution['waitingFor'],
  declared: Declared,
): { readonly awaited: readonly EventChoice[]; readonly others: readonly EventChoice[] } => {
  const names = new Set(declared.map(({ name }) => name))
  const awaited = new Map<string, EventChoice>()
  for (const one of waitingFor) {
    // Several waits for one name: an event goes to the oldest.
    if (one.kind !== 'event' || awaited.has(one.name)) continue
    awaited.set(one.name, {
      name: one.name,
      since: one.since,
      timeoutAt: one.timeoutAt,
      isDeclared: names.has(one.name),
    })
  }
  return {
    awaited: [...awaited.values()],
    others: [...names].filter((name) => !awaited.has(name)).map((name) => ({ name, isDeclared: true })),
  }
}

export const payloadSchemaOf = (declared: Declared, name: string): JsonSchema | undefined =>
  declared.find((event) => event.name === name)?.payloadSchema

const LONGEST_NAME = 200

/** What is wrong with a name; undefined when nothing is. */
export const eventNameFault = (name: string): string | undefined => {
  if (name === '') return 'Give the event a name'
  return [...name].length > LONGEST_NAME ? `A name has at most ${LONGEST_NAME} characters` : undefined
}
