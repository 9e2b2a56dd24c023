import { Compass } from 'lucide-react'
import type { ReactNode } from 'react'
import { EmptyState } from '../ui/empty-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'

/** Of a link that leads elsewhere. */
export const LINK = 'text-accent underline'

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
    <EmptyState icon={<Compass size={28} />} title={title} actions={way}>
      {children}
    </EmptyState>
  </>
)
