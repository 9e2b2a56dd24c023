type ParentPort = {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void
}

/** Electron's utility processes have it in place of `process.send`. */
export const findParentPort = (): ParentPort | undefined => (process as { readonly parentPort?: ParentPort }).parentPort
