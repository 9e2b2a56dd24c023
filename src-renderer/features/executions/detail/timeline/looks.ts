import type { BarLook } from './bars.ts'

/** The bars' classes. Back-off is dashed. */
export const BAR_CLASSES: Readonly<Record<BarLook, string>> = {
  running: 'h-3 rounded-sm bg-running-fill',
  completed: 'h-3 rounded-sm bg-completed-fill',
  failed: 'h-3 rounded-sm bg-failed-fill',
  cancelled: 'h-1.5 rounded-sm bg-cancelled-fill',
  waiting: 'h-1.5 rounded-sm bg-waiting-fill',
  waited: 'h-1.5 rounded-sm bg-waiting-fill/60',
  'backing-off': 'h-0 border-t-2 border-dashed border-waiting-fill',
}

/** The overview's fills. */
export const FILL_CLASSES: Readonly<Record<BarLook, string>> = {
  running: 'fill-running-fill',
  completed: 'fill-completed-fill',
  failed: 'fill-failed-fill',
  cancelled: 'fill-cancelled-fill',
  waiting: 'fill-waiting-fill',
  waited: 'fill-waiting-fill/60',
  'backing-off': 'fill-waiting-fill/60',
}
