import type { ReactNode } from 'react'
import { visible } from './visible.tsx'

/** The header of a screen: its h1, details and actions. */
export const PageHeader = ({
  back,
  title,
  children,
  actions,
}: {
  /** A link to the screen that this one belongs to. */
  readonly back?: ReactNode
  readonly title: ReactNode
  readonly children?: ReactNode
  readonly actions?: ReactNode
}) => (
  <header className="flex min-h-13 shrink-0 flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-5 py-2.5">
    <div className="flex min-w-0 items-center gap-x-4">
      {back}
      <h1 className="relative min-w-0 text-base wrap-anywhere font-semibold">{visible(title)}</h1>
    </div>
    {children}
    {actions !== undefined && (
      <div className="ml-auto flex flex-wrap items-center gap-2 max-lg:gap-1 max-lg:[&_kbd]:hidden">{actions}</div>
    )}
  </header>
)
