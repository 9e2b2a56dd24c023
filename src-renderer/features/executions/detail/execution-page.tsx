import type { ExecutionTab } from '../../../paths.ts'
import { PageHeader } from '../../../ui/page-header.tsx'

export type ExecutionPageProps = {
  readonly id: string
  readonly tab: ExecutionTab
  /** The position of the history entry that is selected. */
  readonly entry: number | undefined
}

export const ExecutionPage = ({ id }: ExecutionPageProps) => <PageHeader title={id} />
