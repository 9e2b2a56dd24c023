import type { ListedExecution } from '../ports/overview.ts'

/** Characters of JSON. A page of Executions ends early with the one that reaches this: errors have 0.4 MB, and 10,000 waits 10 MB. */
export const EXECUTIONS_IN_A_PAGE = 4 * 1024 * 1024

/** Of what may be large. */
export const listedSize = ({ error, waitingFor }: ListedExecution): number => JSON.stringify([error, waitingFor]).length
