// Formats relative times and durations.

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
]

/** `850ms`, `4.2s`, `3m 20s`, `2h 5m`, `12d 3h` */
export const formatDuration = (ms: number): string => {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))}ms`
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toString()}s`
  const first = UNITS.findIndex(([, size]) => ms >= size)
  const [unit, size] = UNITS[first] ?? ['s', 1000]
  const [nextUnit, nextSize] = UNITS[first + 1] ?? ['s', 1000]
  const rest = Math.floor((ms % size) / nextSize)
  return `${Math.floor(ms / size)}${unit}${rest === 0 ? '' : ` ${rest}${nextUnit}`}`
}

/** `3m ago`, `in 2h`; returns other text unchanged. */
export const formatRelative = (iso: string, now: number): string => {
  const distance = now - Date.parse(iso)
  if (Number.isNaN(distance)) return iso
  const size = Math.abs(distance)
  if (size < 1000) return 'now'
  const [unit, ms] = UNITS.find(([, unitMs]) => size >= unitMs) ?? ['s', 1000]
  const amount = `${Math.floor(size / ms)}${unit}`
  return distance > 0 ? `${amount} ago` : `in ${amount}`
}
