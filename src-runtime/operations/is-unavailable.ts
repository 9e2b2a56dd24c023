import { ApiError } from '../contract/errors.ts'
import { HostsUnavailableError } from '../shared/hosts-unavailable.ts'
import { StoreClosedError, StoreUnavailableError } from '../shared/store-errors.ts'

/** Whether an error says that nothing can be stored or checked right now, rather than that something is wrong. */
export const isUnavailable = (error: unknown): error is Error =>
  error instanceof StoreClosedError || error instanceof StoreUnavailableError || error instanceof HostsUnavailableError

/** Whether an error says that too much is under way, such as other items of a bulk: that ends. */
export const isBusy = (error: unknown): boolean => error instanceof ApiError && error.code === 'rate_limited'

/** Whether an error is what a caller gets as 503, for example because no thread could be started for a check. Trying again may help. */
export const isAnsweredUnavailable = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'unavailable'
