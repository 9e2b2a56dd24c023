// Dragging over a plot selects the range to show; a click stays a click.

import { type MouseEvent, type PointerEvent, useRef, useState } from 'react'

export type Brush = { readonly from: number; readonly to: number }

const LEAST_PX = 5

/**
 * Positions are shares of the plot's width, from 0 to 1. `shareAt` returns the pointer's; undefined outside the plot.
 */
export const useBrush = ({
  shareAt,
  onBrushed,
  onPressed,
}: {
  readonly shareAt: (clientX: number) => number | undefined
  readonly onBrushed: (brush: Brush) => void
  /** Pressed and released without a drag. */
  readonly onPressed?: (share: number) => void
}) => {
  const [brush, setBrush] = useState<Brush | undefined>(undefined)
  const start = useRef<{ readonly x: number; readonly share: number }>(undefined)
  const dragged = useRef(false)

  const stop = () => {
    start.current = undefined
    setBrush(undefined)
  }
  return {
    brush,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        dragged.current = false
        const share = event.button === 0 ? shareAt(event.clientX) : undefined
        start.current = share === undefined ? undefined : { x: event.clientX, share }
      },
      onPointerMove: (event: PointerEvent<HTMLElement>) => {
        const from = start.current
        if (from === undefined) return
        if (!dragged.current && Math.abs(event.clientX - from.x) < LEAST_PX) return
        if (!dragged.current) event.currentTarget.setPointerCapture(event.pointerId)
        dragged.current = true
        const share = shareAt(event.clientX) ?? (event.clientX < from.x ? 0 : 1)
        setBrush({ from: Math.min(share, from.share), to: Math.max(share, from.share) })
      },
      onPointerUp: () => {
        if (brush !== undefined && brush.to > brush.from) onBrushed(brush)
        else if (start.current !== undefined && !dragged.current) onPressed?.(start.current.share)
        stop()
      },
      onPointerCancel: stop,
      onClickCapture: (event: MouseEvent) => {
        if (dragged.current) event.stopPropagation()
        dragged.current = false
      },
    },
  }
}
