// Bounds how many windows of a browser hold a stream of changes: a browser opens only six connections to an origin over
// HTTP/1.1, and the windows need some of them for all else.

const PLACES = 4

/** Ends what it was given for. */
export type Leave = () => void

/** A place, until it is left or the window is closed; undefined where other windows have them all. */
export const takeStreamPlace = async (): Promise<Leave | undefined> => {
  // Pages over plain HTTP under a name have no locks.
  const locks: LockManager | undefined = navigator.locks
  if (locks === undefined) return () => {}
  for (let place = 1; place <= PLACES; place++) {
    const leave = await tryToHold(locks, `wes-stream-${place}`)
    if (leave !== undefined) return leave
  }
  return undefined
}

const tryToHold = (locks: LockManager, name: string): Promise<Leave | undefined> =>
  new Promise((resolve) => {
    const hold = (lock: Lock | null) =>
      lock === null ? resolve(undefined) : new Promise<void>((leave) => resolve(() => leave()))
    // A browser that blocks storage refuses locks too.
    locks.request(name, { ifAvailable: true }, hold).catch(() => resolve(() => {}))
  })
