const LIMIT_MS = 10_000

/** Whether the server of this page answers with a page. */
export const isPageServed = (): Promise<boolean> =>
  fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(LIMIT_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )
