// The query string as people and scripts write it: `?status=failed&status=cancelled`. Repeated names become lists.

export type Search = Readonly<Record<string, string | readonly string[]>>

export const parseSearch = (text: string): Search => {
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
  const value = search[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** One of a few values, or the first of them when anything else was given. */
export const oneOf = <Value extends string>(
  search: Search,
  name: string,
  values: readonly [Value, ...Value[]],
): Value => {
  const given = one(search, name)
  return values.find((value) => value === given) ?? values[0]
}

/** A whole number of at least 1, or nothing. */
export const positiveInteger = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^[1-9]\d{0,8}$/.test(text)) return undefined
  return Number(text)
}
