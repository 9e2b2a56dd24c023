import type { ReactNode } from 'react'
import { visible } from './visible.tsx'

/** Says why there is nothing to show, and what to do. For failures use Fault. */
export const EmptyState = ({
  icon,
  title,
  children,
  actions,
}: {
  readonly icon?: ReactNode
  /** Left out where the screen's own title says it. */
  readonly title?: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}) => (
  <section
    aria-label={title}
    className="m-auto flex w-full max-w-120 flex-col items-center gap-3 px-6 py-16 text-center max-sm:mt-0"
  >
    {icon !== undefined && <div className="text-faint">{icon}</div>}
    {title !== undefined && <h2 className="text-base font-semibold">{visible(title)}</h2>}
    {children !== undefined && <div className="max-w-full text-soft">{children}</div>}
    {actions !== undefined && <div className="mt-1 flex flex-wrap justify-center gap-2">{actions}</div>}
  </section>
)
