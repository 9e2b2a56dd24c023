import { StoreClosedError, StoreUnavailableError } from '../store/store.ts'

/** Whether an error says that nothing can be stored right now, rather than that something is wrong. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StoreClosedError || error instanceof StoreUnavailableError
