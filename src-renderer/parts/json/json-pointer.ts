// JSON pointers (RFC 6901), which locate faults in a value.

import type { Segment } from './json-tree.ts'

export const pointerOf = (segments: readonly Segment[]): string =>
  segments.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

export const segmentsOf = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
