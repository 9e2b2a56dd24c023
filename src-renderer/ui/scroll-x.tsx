import type { ReactNode } from 'react'

/** A wide table that scrolls sideways where the screen is narrow, also with the arrow keys. */
export const ScrollX = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div
    role="group"
    aria-label={label}
    tabIndex={0}
    className="relative overflow-x-auto focus-visible:outline-offset-[-2px]"
  >
    {children}
  </div>
)
