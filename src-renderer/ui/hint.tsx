import { Tooltip } from '@base-ui/react/tooltip'
import type { ReactElement, ReactNode } from 'react'
import { visible } from './visible.tsx'

/** A tooltip; undefined shows none. What it says must also be available elsewhere. */
export const Hint = ({ text, children }: { readonly text: ReactNode; readonly children: ReactElement }) => (
  <Tooltip.Root disabled={text === undefined}>
    <Tooltip.Trigger render={children} />
    <Tooltip.Portal>
      <Tooltip.Positioner sideOffset={6} className="z-50">
        <Tooltip.Popup className="max-w-[min(20rem,calc(100vw-1rem))] rounded-md bg-ink outline outline-transparent break-words px-2 py-1 text-xs text-page shadow-float">
          {visible(text)}
        </Tooltip.Popup>
      </Tooltip.Positioner>
    </Tooltip.Portal>
  </Tooltip.Root>
)
