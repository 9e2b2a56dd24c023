// The window's position: the last one, but always on a screen.

import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'

const Bounds = Type.Object({
  x: Type.Integer(),
  y: Type.Integer(),
  width: Type.Integer({ minimum: 1 }),
  height: Type.Integer({ minimum: 1 }),
})
const WindowPlaceSchema = Type.Object({ bounds: Bounds, maximized: Type.Boolean() })

export type Bounds = Static<typeof Bounds>
export type WindowPlace = Static<typeof WindowPlaceSchema>

export const LEAST_SIZE = { width: 640, height: 480 }
const USUAL_SIZE = { width: 1280, height: 800 }
/** This much of its upper edge must be on a screen, so that the user can drag it. */
const GRIP = { width: 120, height: 40 }

/** `areas`: the usable area of each screen, in any order. `primary`: that of the one where new windows open. */
export const placeWindow = (stored: unknown, areas: readonly Bounds[], primary: Bounds): WindowPlace => {
  if (!Check(WindowPlaceSchema, stored)) return { bounds: centred(USUAL_SIZE, primary), maximized: false }
  const { bounds, maximized } = stored
  const wanted = { ...bounds, ...atLeast(bounds) }
  const home = areas.find((area) => isWithinReach(wanted, area))
  if (home === undefined) return { bounds: centred(bounds, primary), maximized }
  return { bounds: { ...wanted, ...sizeWithin(bounds, home) }, maximized }
}

const isWithinReach = (window: Bounds, area: Bounds): boolean => {
  const visible = Math.min(window.x + window.width, area.x + area.width) - Math.max(window.x, area.x)
  return visible >= GRIP.width && window.y >= area.y && window.y + GRIP.height <= area.y + area.height
}

type Size = Pick<Bounds, 'width' | 'height'>

const atLeast = ({ width, height }: Size): Size => ({
  width: Math.max(width, LEAST_SIZE.width),
  height: Math.max(height, LEAST_SIZE.height),
})

const sizeWithin = (size: Size, area: Size): Size => {
  const { width, height } = atLeast(size)
  return { width: Math.min(width, area.width), height: Math.min(height, area.height) }
}

const centred = (size: Size, area: Bounds): Bounds => {
  const { width, height } = sizeWithin(size, area)
  return {
    x: Math.round(area.x + (area.width - width) / 2),
    y: Math.round(area.y + (area.height - height) / 2),
    width,
    height,
  }
}
