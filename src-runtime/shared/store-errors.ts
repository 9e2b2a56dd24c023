// Why nothing can be stored right now. The stores of all homes throw these, and callers are told to try again.

/** The store is shutting down. */
export class StoreClosedError extends Error {
  override readonly name = 'StoreClosedError'
}

/** The disk is full or cannot be written, or the database does not answer. The write was undone. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** Of this computer, which its user can make room on. */
export class DiskFullError extends StoreUnavailableError {}

/** The disk of this computer is broken, was disconnected, or has become read-only. */
export class DiskFaultError extends StoreUnavailableError {}
