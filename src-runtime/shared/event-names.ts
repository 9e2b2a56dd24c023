/** Characters of the name of an event or an effect. */
export const NAME_LIMIT = 200

/** Whether an event of this name can be sent. Counts as `maxLength` of a JSON Schema does: a surrogate pair is one. */
export const isEventName = (name: string): boolean =>
  name !== '' && [...name].length <= NAME_LIMIT && !/\0|\p{Surrogate}/u.test(name)
