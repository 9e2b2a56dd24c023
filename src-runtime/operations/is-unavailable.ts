import { StoreClosedError, StoreUnavailableError } from '../shared/store-errors.ts'

/** Whether an error says that nothing can be stored right now, rather than that something is wrong. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof StoreClosedError || error instanceof StoreUnavailableError
