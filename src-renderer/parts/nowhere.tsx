import { Link } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import type { ReactNode } from 'react'
import { paths } from '../paths.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'

/** Of a link that leads elsewhere. */
export const LINK = 'text-accent underline'

export const ToExecutions = () => (
  <Link {...paths.executions()} activeOptions={{ exact: true }} className={LINK}>
    Go to Executions
  </Link>
)

/** A page for something that does not exist. `way`: where to go instead. */
export const Nowhere = ({
  title,
  children,
  way,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly way: ReactNode
}) => (
  <>
    <PageHeader title={title} />
    <EmptyState icon={<Compass size={28} />} actions={way}>
      {children}
    </EmptyState>
  </>
)
