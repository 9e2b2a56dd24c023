// The causes of an error as the journal stores them: a chain of limited depth and size.

type Members = { readonly name?: string; readonly message: string; readonly stack?: string }
export type Cause = Members & { readonly cause?: Cause }

export const MOST_CAUSES = 8
const LARGEST_CHAIN_BYTES = 64 * 1024

/** Takes and nests the causes, nearest first. Drops causes beyond the limits. */
export const causeChain = (causes: readonly Members[]): { readonly cause?: Cause } => {
  let bytes = 0
  const kept = causes.slice(0, MOST_CAUSES).filter((one) => {
    bytes += Buffer.byteLength(JSON.stringify(one)) + '"cause":,'.length
    return bytes <= LARGEST_CHAIN_BYTES
  })
  return nest(kept)
}

const nest = ([nearest, ...others]: readonly Members[]): { readonly cause?: Cause } =>
  nearest === undefined ? {} : { cause: { ...nearest, ...nest(others) } }

/** The causes of a chain, nearest first. */
export const causesOf = (cause: Cause | undefined): readonly Members[] => {
  const causes: Members[] = []
  for (let one = cause; one !== undefined && causes.length < MOST_CAUSES; one = one.cause) {
    const { cause: _, ...members } = one
    causes.push(members)
  }
  return causes
}
