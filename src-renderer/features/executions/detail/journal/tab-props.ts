import type { Execution } from '#sdk/index.ts'
import type { JournalView } from './journal-query.ts'

/** Of a tab that shows the journal of an Execution. */
export type JournalTabProps = {
  readonly execution: Execution
  readonly view: JournalView
  readonly isLive: boolean
  /** Position of the selected entry. */
  readonly entry: number | undefined
  readonly onSelect: (position: number) => void
}
