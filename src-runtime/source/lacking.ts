// What packages use that Programs do not have.

/** A package in a Program that uses globals which Programs do not have. The Program may never call the parts that do. */
export type Lacking = { readonly package: string; readonly globals: readonly string[] }

/** A line for each package. */
export const lackingTexts = (programs: Iterable<{ readonly lacking: readonly Lacking[] }>): readonly string[] => {
  const all = [...programs].flatMap(({ lacking }) => lacking)
  return [...Map.groupBy(all, (one) => one.package)].map(([name, found]) => {
    const globals = [...new Set(found.flatMap((one) => one.globals))].toSorted()
    const them = globals.length === 1 ? 'it' : 'them'
    return `${name} uses ${listed(globals)}, which Programs do not have: the parts of ${name} that need ${them} fail`
  })
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
