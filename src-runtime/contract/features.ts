// The features that `/healthz` lists, for clients and dashboards that use services of several versions. Append only.

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
  'label-filter',
  'program-changes',
  'retry',
  'start-wait',
] as const
