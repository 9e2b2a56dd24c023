/**
 * A parent process sends it over an IPC channel where it cannot send a signal: on Windows. The receiver then stops as it does on
 * Ctrl-C.
 */
export const STOP_MESSAGE = 'wes:stop'
