// The visible part of the axis, in units of the axis.

export type Viewport = { readonly from: number; readonly to: number }

/** The narrowest view, in units: some tenths of a millisecond. */
const NARROWEST = 0.5

/** Moves and cuts a view to lie within the axis. */
export const within = (view: Viewport, length: number): Viewport => {
  const width = Math.min(Math.max(view.to - view.from, Math.min(NARROWEST, length)), length)
  const from = Math.min(Math.max(view.from, 0), length - width)
  return { from, to: from + width }
}

/** Zooms. A `factor` above 1 shows less of the axis; `anchor` keeps its place. */
export const zoomed = (view: Viewport, factor: number, anchor: number, length: number): Viewport => {
  const width = Math.min(Math.max((view.to - view.from) / factor, Math.min(NARROWEST, length)), length)
  const share = (anchor - view.from) / (view.to - view.from)
  const from = anchor - share * width
  return within({ from, to: from + width }, length)
}

/** Pans by a share of the view's width. */
export const moved = (view: Viewport, share: number, length: number): Viewport => {
  const by = share * (view.to - view.from)
  return within({ from: view.from + by, to: view.to + by }, length)
}

/** The view of a range, with a margin on both sides. */
export const around = (from: number, to: number, length: number): Viewport => {
  const room = (to - from) * 0.4
  return within({ from: from - room, to: to + room }, length)
}

/** A position in percent of the view's width; outside the view below 0 or above 100. */
export const percentOf = (view: Viewport, unit: number): number => ((unit - view.from) / (view.to - view.from)) * 100

export const unitAt = (view: Viewport, share: number): number => view.from + share * (view.to - view.from)
