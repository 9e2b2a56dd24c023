// What is made once for each key, such as a workspace, and kept.

/** `most`: how many are kept. If there are more, all are made again when they are needed. */
export const madeByKey = <Made>(most: number, make: (key: string) => Made): ((key: string) => Made) => {
  const kept = new Map<string, Made>()
  return (key) => {
    const known = kept.get(key)
    if (known !== undefined) return known
    if (kept.size >= most) kept.clear()
    const made = make(key)
    kept.set(key, made)
    return made
  }
}
