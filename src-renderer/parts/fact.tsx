import type { ReactNode } from 'react'

/** A term and its value, for a `<dl>` in the header of a screen. */
export const Fact = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <div className="flex min-h-6 min-w-0 items-baseline gap-1.5">
    <dt className="text-xs text-faint">{term}</dt>
    <dd className="flex min-w-0 flex-wrap items-center gap-x-1.5 wrap-anywhere">{children}</dd>
  </div>
)
