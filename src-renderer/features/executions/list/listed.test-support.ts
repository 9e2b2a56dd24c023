// Executions for tests of the list: a higher number started later.

import type { ListedExecution } from '../../../api/executions-query.ts'

export const listed = (number: number, more: Partial<ListedExecution> = {}): ListedExecution => ({
  id: `exe_${String(number).padStart(26, '0')}`,
  projectId: 'default',
  programId: 'order',
  versionId: 'ver_1',
  versionNumber: 1,
  status: 'completed',
  createdAt: new Date(number * 1_000).toISOString(),
  waitingFor: [],
  ...more,
})
