import { HostsUnavailableError } from '../shared/hosts-unavailable.ts'
import { StoreClosedError, StoreUnavailableError } from '../shared/store-errors.ts'

/** Whether an error says that nothing can be stored or checked right now, rather than that something is wrong. */
export const isUnavailable = (error: unknown): error is Error =>
  error instanceof StoreClosedError || error instanceof StoreUnavailableError || error instanceof HostsUnavailableError
