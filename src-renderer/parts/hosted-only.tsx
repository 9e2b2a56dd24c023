import { Cloud } from 'lucide-react'
import type { ReactNode } from 'react'
import { useConnection } from '../api/connection.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'

/** A screen that only hosted services have. A link to it may be opened on local, which says so. */
export const HostedOnly = ({
  title,
  instead,
  children,
}: {
  readonly title: string
  /** Why local has none, and what there is. */
  readonly instead?: ReactNode
  readonly children: ReactNode
}) => {
  if (useConnection().kind === 'hosted') return children
  return (
    <>
      <PageHeader title={title} />
      <EmptyState icon={<Cloud size={28} />} title="Only on hosted services">
        {instead ?? 'The local runtime needs no account, and so it has no tokens, usage or bills.'}
      </EmptyState>
    </>
  )
}
