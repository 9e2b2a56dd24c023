/**
 * Work for `every`: does `work` the first time, because PostgreSQL's clock may have been set back while no process ran, and again each
 * time it was set back since.
 */
export const afterSetBacks = (
  setBacks: () => number,
  work: (isStopped: () => boolean, isFirst: boolean) => Promise<void>,
): ((isStopped: () => boolean) => Promise<boolean>) => {
  let done: number | undefined
  return async (isStopped) => {
    const seen = setBacks()
    if (seen === done) return false
    await work(isStopped, done === undefined)
    done = seen
    return false
  }
}
