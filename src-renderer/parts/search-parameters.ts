// Reads and writes query strings such as `?status=failed&status=cancelled`. Repeated names become lists.

/** Parameters from `parseSearch`, or from a link. */
export type Search = Readonly<Record<string, unknown>>

export const parseSearch = (text: string): Readonly<Record<string, string | readonly string[]>> => {
  const query = new URLSearchParams(text)
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name)
      return [name, values.length === 1 ? values[0]! : values]
    }),
  )
}

export const stringifySearch = (search: Readonly<Record<string, unknown>>): string => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || value === null) continue
    for (const one of Array.isArray(value) ? value : [value]) query.append(name, String(one))
  }
  return query.size === 0 ? '' : `?${query.toString()}`
}

/** The first value of a parameter. */
export const one = (search: Search, name: string): string | undefined => {
  const value: unknown = search[name]
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' || typeof first === 'number' ? String(first) : undefined
}

/** One of a few values; undefined for any other. */
export const oneOf = <Value extends string>(
  search: Search,
  name: string,
  values: readonly Value[],
): Value | undefined => {
  const given = one(search, name)
  return values.find((value) => value === given)
}

/** Those of a few values that are given, in their order; undefined for none. */
export const someOf = <Value extends string>(
  search: Search,
  name: string,
  values: readonly Value[],
): readonly Value[] | undefined => {
  const given: unknown = search[name]
  const found = values.filter((value) => (Array.isArray(given) ? given.includes(value) : given === value))
  return found.length === 0 ? undefined : found
}

/** A whole number of at least 1, or nothing. */
export const positiveInteger = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^[1-9]\d{0,8}$/.test(text)) return undefined
  return Number(text)
}
