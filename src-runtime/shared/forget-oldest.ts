/** Removes entries of a map or a set, those that were added first, until no more than `most` are left. */
export const forgetOldest = <Key>(
  kept: { readonly size: number; keys(): Iterable<Key>; delete(key: Key): boolean },
  most: number,
): void => {
  for (const key of kept.keys()) {
    if (kept.size <= most) return
    kept.delete(key)
  }
}
