// The operating system's user for the effects of a workspace, if the service runs as root. Pure.

import { createHash } from 'node:crypto'

/** Systemd's list of user ids leaves these free. */
const FIRST = 1_879_048_192
const COUNT = 200_000_000

/** `uidMap`: /proc/self/uid_map. Throws where the service's own user namespace has too few users. */
export const workspaceUser = (workspaceId: string, uidMap: string): number => {
  const number = createHash('sha256').update(workspaceId).digest().readUInt32BE()
  const ranges = uidMap
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  if (ranges.some(([first = 0, , length = 0]) => first <= FIRST && first + length >= FIRST + COUNT)) {
    return FIRST + (number % COUNT)
  }
  // In a container with its own users: the upper half of the largest range.
  const [first = 0, , length = 0] = ranges.toSorted((a, b) => (b[2] ?? 0) - (a[2] ?? 0))[0] ?? []
  if (length < 10_000) throw new Error('root has no other users here: /proc/self/uid_map maps too few')
  const half = Math.floor(length / 2)
  return first + half + (number % (half - 10))
}
