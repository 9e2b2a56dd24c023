import { memo } from 'react'
import { duration } from '../../../../parts/format.ts'
import { toUnit } from './axis.ts'
import { LETTER_PX, ticksOf } from './ticks.ts'
import type { Scale } from './use-scale.ts'
import { percentOf } from './viewport.ts'

/** Labels for the time since the start, and for the duration of each collapsed wait. */
export const Ruler = memo(({ scale }: { readonly scale: Scale }) => (
  <span aria-hidden="true" className="tabular relative block h-full overflow-hidden text-2xs text-faint">
    {ticksOf(scale.axis, scale.view, scale.widthPx).map(({ percent, label }) => (
      <span
        key={`${percent} ${label}`}
        className="absolute top-0 h-full border-l border-line-strong pt-1.5 pl-1 leading-3 whitespace-nowrap"
        style={{ left: `${percent}%` }}
      >
        {label}
      </span>
    ))}
    {breaksIn(scale).map(({ from, left, width, label }) => (
      <span
        key={from}
        className="absolute top-0 flex h-full items-center justify-center border-x border-dashed border-line-strong bg-hover font-medium whitespace-nowrap text-soft"
        style={{ left: `${left}%`, width: `${width}%` }}
      >
        {fitting(label, (width / 100) * scale.widthPx)}
      </span>
    ))}
  </span>
))

/** A duration, only its larger unit, or nothing, depending on the room. */
const fitting = (label: string, widthPx: number): string | undefined => {
  const [number = '', unit = ''] = label.split(' ')
  return [label, `${number} ${unit}`].find((text) => text.length * LETTER_PX + 6 <= widthPx)
}

/** Lines at the ruler's times, and bands where a wait is collapsed. */
export const Backdrop = memo(({ scale }: { readonly scale: Scale }) => (
  <div aria-hidden="true" className="pointer-events-none absolute inset-0 overflow-hidden">
    {ticksOf(scale.axis, scale.view, scale.widthPx).map(({ percent }) => (
      <span key={percent} className="absolute inset-y-0 border-l border-line/60" style={{ left: `${percent}%` }} />
    ))}
    {breaksIn(scale).map(({ from, left, width }) => (
      <span
        key={from}
        className="absolute inset-y-0 border-x border-dashed border-line-strong bg-[repeating-linear-gradient(135deg,var(--color-line)_0_1px,transparent_1px_7px)]"
        style={{ left: `${left}%`, width: `${width}%` }}
      />
    ))}
  </div>
))

/** Marks the present time. */
export const NowLine = ({ scale }: { readonly scale: Scale }) => (
  <div aria-hidden="true" className="pointer-events-none absolute inset-0 overflow-hidden">
    <span
      className="absolute inset-y-0 border-l border-running-fill"
      style={{ left: `${percentOf(scale.view, toUnit(scale.axis, scale.now))}%` }}
    />
  </div>
)

const breaksIn = ({ axis, view }: Scale) =>
  axis.stretches
    .filter((stretch) => stretch.isBreak && stretch.end > view.from && stretch.start < view.to)
    .map((stretch) => {
      const left = percentOf(view, Math.max(stretch.start, view.from))
      return {
        from: stretch.from,
        left,
        width: percentOf(view, Math.min(stretch.end, view.to)) - left,
        label: duration(stretch.to - stretch.from),
      }
    })
