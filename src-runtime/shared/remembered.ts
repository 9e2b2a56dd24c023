/** Calls `of` once for each name. */
export const remembered = <Value>(of: (name: string) => Value): ((name: string) => Value) => {
  const known = new Map<string, Value>()
  return (name) => {
    if (!known.has(name)) known.set(name, of(name))
    return known.get(name) as Value
  }
}
