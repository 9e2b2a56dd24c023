// What `/healthz` says that this service has, for clients and dashboards that meet services of several versions. Append.

export const features = [
  'again-of',
  'bulk',
  'cause',
  'changes',
  'delete-versions',
  'event-keys',
  'fire',
  'input-preview',
  'label',
  'program-changes',
  'retry',
  'start-wait',
] as const
