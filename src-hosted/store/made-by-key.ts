// What is made once for each key, such as a workspace, and kept.

import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'

/** `most`: how many are kept. If there are more, the oldest are made again when they are needed. */
export const madeByKey = <Made>(most: number, make: (key: string) => Made): ((key: string) => Made) => {
  const kept = new Map<string, Made>()
  return (key) => {
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = make(key)
    kept.set(key, made)
    forgetOldest(kept, most)
    return made
  }
}
