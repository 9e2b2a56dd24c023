// The list of a project's Triggers, which is always replaced as a whole. Pure.

import type { NewTrigger, Trigger } from '#sdk/index.ts'

/** A Trigger without a name is called by its id. */
export const titleOf = ({ id, name }: Pick<Trigger, 'id' | 'name'>): string => name ?? id

/** The item that keeps a Trigger as it is. */
export const keptItem = (trigger: Trigger): NewTrigger => {
  const { id, programId, name, enabled, cron = '', timezone } = trigger
  const common = { id, programId, enabled, ...(name !== undefined && { name }) }
  if (trigger.type === 'webhook') return { ...common, type: 'webhook' }
  return {
    ...common,
    type: 'schedule',
    cron,
    ...(timezone !== undefined && { timezone }),
    ...('input' in trigger && { input: trigger.input }),
  }
}

/**
 * The list with an item in place of the one of its id; at the end if there is none. `before`: the Trigger that the item
 * changes, as it was.
 */
export const listWith = (triggers: readonly Trigger[], item: NewTrigger, before?: Trigger): readonly NewTrigger[] => {
  const isKept = triggers.some(({ id }) => id === item.id)
  const items = triggers.map((trigger) => (trigger.id === item.id ? item : keptItem(trigger)))
  if (isKept) return items
  // A Trigger that was removed meanwhile is made anew.
  const { id: _gone, ...made } = item
  const isSigned = made.type === 'webhook' && made.secret === undefined && before?.signed === true
  return [...items, isSigned ? { ...made, secret: 'generate' } : made]
}

export const listWithout = (triggers: readonly Trigger[], id: string): readonly NewTrigger[] =>
  triggers.filter((trigger) => trigger.id !== id).map(keptItem)

/** Nobody else keeps a signing secret: it is shown once, to whoever asked for it. */
export const withoutSecrets = (triggers: readonly Trigger[]): readonly Trigger[] =>
  triggers.map(({ secret: _secret, ...trigger }) => trigger)

export type ListChange = {
  readonly id: string
  readonly title: string
  /** `added`, `removed`, `changed: enabled, cron`. */
  readonly what: string
}

/** What somebody else did to the list. */
export const changesBetween = (before: readonly Trigger[], after: readonly Trigger[]): readonly ListChange[] => {
  const known = new Map(before.map((trigger) => [trigger.id, trigger]))
  const kept = new Set(after.map(({ id }) => id))
  return [
    ...before.filter(({ id }) => !kept.has(id)).map((trigger) => changeOf(trigger, 'removed')),
    ...after.flatMap((trigger) => {
      const old = known.get(trigger.id)
      if (old === undefined) return [changeOf(trigger, 'added')]
      const fields = fieldsThatDiffer(old, trigger)
      return fields.length === 0 ? [] : [changeOf(trigger, `changed: ${fields.join(', ')}`)]
    }),
  ]
}

const changeOf = (trigger: Trigger, what: string): ListChange => ({ id: trigger.id, title: titleOf(trigger), what })

const FIELDS: readonly (readonly [keyof Trigger, string])[] = [
  ['name', 'name'],
  ['programId', 'Program'],
  ['enabled', 'enabled'],
  ['signed', 'signature'],
  ['cron', 'cron'],
  ['timezone', 'time zone'],
  ['input', 'input'],
]

const fieldsThatDiffer = (one: Trigger, other: Trigger): readonly string[] => {
  const found = FIELDS.filter(([field]) => JSON.stringify(one[field]) !== JSON.stringify(other[field]))
  // A secret is not shown; that another one was generated only shows in the time of the change.
  if (found.length === 0 && one.updatedAt !== other.updatedAt) return ['signing secret']
  return found.map(([, words]) => words)
}
