/** What went wrong, for people. The desktop app's main process rejects with `{ code, message }`, which is no Error. */
export const refusalText = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error)
