// A terminal's Ctrl-C goes to the whole process group, but only the parent decides when its children stop.

/** The process no longer ends by itself on a terminal's signals. Call it only where it ends when its parent has gone. */
export const leaveSignalsToParent = (): void => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
}
