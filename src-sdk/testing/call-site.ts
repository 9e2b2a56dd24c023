// Stacks that name the author's lines: errors of the testing part, and those that end a call of ctx, are thrown long after
// the call that they are about.

const FRAMES = /^\s+at /m

/** Has the stack of whatever called `method`, which runs. */
export const callSite = (method: object): Error => {
  const site = new Error('called here')
  ;(Error as { captureStackTrace?: (target: object, below: object) => void }).captureStackTrace?.(site, method)
  return site
}

/** Gives an error the frames of a call in place of its own. Engines that have no such frames keep their own. */
export const replaceFrames = (error: Error, site: Error): void => {
  const frames = framesOf(site)
  if (frames !== '') setStack(error, `${error.name}: ${error.message}\n${frames}`)
}

/** Adds the frames of a call below those that the error has. Values that are no errors stay as they are. */
export const addFrames = (error: unknown, site: Error): void => {
  const frames = framesOf(site)
  if (frames !== '' && error instanceof Error) setStack(error, `${error.stack ?? ''}\n${frames}`)
}

const framesOf = ({ stack = '' }: Error): string => {
  const at = stack.search(FRAMES)
  return at === -1 ? '' : stack.slice(at)
}

const setStack = (error: Error, value: string): void => {
  Object.defineProperty(error, 'stack', { value, writable: true, configurable: true })
}
