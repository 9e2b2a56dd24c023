// What the service says of a request's members, such as `body/triggers/2/cron must …`, in words of the command line. Pure.

/** `query/groupBy` is `--group-by`, `headers/idempotency-key` is `--idempotency-key`; a member of the body is called by its name. */
export const inWordsOfFlags = (message: string): string =>
  message
    .replaceAll(/\bquery\/([a-z]+[A-Za-z]*)/g, (_whole, name: string) => `--${kebab(name)}`)
    .replaceAll(/\bheaders\/(?:x-service-)?(?=[a-z])/g, '--')
    .replaceAll(/\bbody\/(?:set\/(?="))?/g, '')

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** `place`: what to call the list itself (undefined), an item of it, or a member of an item. */
export type TriggerPlace = (index?: number, member?: string) => string

/** Of the answer to a list of Triggers; undefined if it is about something else. */
export const triggerFaults = (message: string, place: TriggerPlace): string | undefined => {
  const faults = message.split(/; (?=body\b)/).map((fault) => faultOf(fault, place))
  return faults.includes(undefined) ? undefined : faults.join('; ')
}

const faultOf = (fault: string, place: TriggerPlace): string | undefined => {
  const [whole, index, member, rest = ''] = /^body\/triggers(?:\/(\d+)(?:\/(\S+))?)? (.*)$/s.exec(fault) ?? []
  if (whole === undefined) return undefined
  return `${index === undefined ? place() : place(Number(index), member)} ${rest}`
}

/** Of a list that the user wrote. `source`: what holds it, such as a file's name. */
export const placeInList =
  (source: string, items: readonly unknown[]): TriggerPlace =>
  (index, member) => {
    if (index === undefined) return `${source}: the list`
    const title = titleOf(items[index])
    const entry = `${source}: entry ${index + 1}${title === undefined ? '' : ` (${title})`}`
    return member === undefined ? entry : `${entry}: ${member}`
  }

const titleOf = (item: unknown): string | undefined => {
  const { name, id, programId } = (item ?? {}) as Readonly<Record<string, unknown>>
  return [name, id, programId].find((text) => typeof text === 'string')
}

const FLAGS: ReadonlyMap<string | undefined, string> = new Map([
  ['programId', 'PROGRAM'],
  ['name', '--name'],
  ['cron', 'CRON'],
  ['timezone', '--timezone'],
  ['input', '--input'],
])

/** Of a list with changes that flags asked for. `added`: the index of a new one. */
export const placeOfFlags =
  (items: readonly { readonly id?: string; readonly name?: string }[], added?: number): TriggerPlace =>
  (index, member) => {
    if (index === undefined) return 'The list of Triggers'
    if (index === added) return member === undefined ? 'The new Trigger' : `${FLAGS.get(member) ?? member}:`
    const { id = '', name } = items[index] ?? {}
    const trigger = `Trigger ${id}${name === undefined ? '' : ` (${name})`}`
    return member === undefined ? trigger : `${trigger}: ${member}`
  }
