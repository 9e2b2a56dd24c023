import { type CSSProperties, type KeyboardEvent, type PointerEvent, type ReactNode, type Ref, useState } from 'react'
import { usePreferences } from '../../../../stores/preferences.ts'

const LEAST_PX = 280
const MOST_PX = 1_000
const STEP_PX = 24

const fit = (px: number): number => Math.round(Math.min(Math.max(px, LEAST_PX), MOST_PX))

/**
 * A pane at the end of the row, below it on narrow and upright screens, and over it where it is crowded. Its edge can be dragged, or
 * moved with the arrow keys. `label` is its accessible name.
 */
export const ResizablePane = ({
  label,
  ref,
  children,
}: {
  readonly label: string
  readonly ref: Ref<HTMLElement>
  readonly children: ReactNode
}) => {
  const preferred = usePreferences((preferences) => preferences.entryPanePx)
  const [dragged, setDragged] = useState<number | undefined>(undefined)
  const px = fit(dragged ?? preferred)

  const onPointerDown = (event: PointerEvent<HTMLDivElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    setDragged(px)
  }
  const onPointerMove = (event: PointerEvent) => {
    if (dragged !== undefined) setDragged(fit(dragged - event.movementX))
  }
  const onPointerUp = () => {
    if (dragged !== undefined) usePreferences.setState({ entryPanePx: dragged })
    setDragged(undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowLeft' ? STEP_PX : event.key === 'ArrowRight' ? -STEP_PX : 0
    if (step === 0) return
    event.preventDefault()
    usePreferences.setState({ entryPanePx: fit(px + step) })
  }

  return (
    <aside
      ref={ref}
      aria-label={label}
      tabIndex={-1}
      className="relative flex w-(--pane) max-w-[60%] shrink-0 flex-col border-l border-line bg-page upright:h-1/2 upright:w-full upright:max-w-full upright:border-t upright:border-l-0 crowded:absolute crowded:inset-0 crowded:size-auto crowded:max-w-none crowded:border-0 focus-visible:outline-offset-[-2px]"
      style={{ '--pane': `${px}px` } as CSSProperties}
    >
      <div
        role="separator"
        aria-label={`Width of ${label}`}
        aria-orientation="vertical"
        aria-valuenow={px}
        aria-valuemin={LEAST_PX}
        aria-valuemax={MOST_PX}
        tabIndex={0}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerUp}
        onKeyDown={onKeyDown}
        className="absolute inset-y-0 -left-1 z-20 w-2 upright:hidden crowded:hidden cursor-col-resize touch-none hover:bg-accent/30 focus-visible:bg-accent/30"
      />
      {children}
    </aside>
  )
}
