/** Characters of the name of an event or an effect. */
export const NAME_LIMIT = 200

/** Counts Unicode characters, as `maxLength` of a JSON Schema does: a surrogate pair is one. */
export const isEventName = (name: string): boolean => name !== '' && [...name].length <= NAME_LIMIT
