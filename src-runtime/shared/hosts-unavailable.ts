/** No Program host can be started, or all are being stopped: the Program is not at fault, and trying again may help. */
export class HostsUnavailableError extends Error {
  override readonly name = 'HostsUnavailableError'
}

/** The process stops. */
export class HostsStoppedError extends HostsUnavailableError {}
