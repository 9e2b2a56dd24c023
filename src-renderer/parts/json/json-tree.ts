// A JSON value as rows of a tree. Only open containers become rows, and long ones are split into ranges, so that the
// cost depends on what is open and not on the size of the value. Pure.

import { ExactNumber } from '../../exact-json.ts'
import { pointerOf } from './json-pointer.ts'

export type Segment = string | number

export type JsonRow = {
  /** Unique within the tree, and stable while the value keeps its shape. */
  readonly id: string
  readonly segments: readonly Segment[]
  /** From 1. */
  readonly level: number
  /** The position among its siblings, from 1. */
  readonly position: number
  readonly siblings: number
  /** The member's name or the item's index; `[0 … 99]` for a range; undefined for the root. */
  readonly name: string | undefined
  readonly value: unknown
  /** The number of children; 0 for a row that cannot be opened. */
  readonly children: number
  readonly open: boolean
  readonly range: boolean
}

/** The rows that the user opened and closed, by id. */
export type Opened = ReadonlyMap<string, boolean>

type Container = readonly unknown[] | Readonly<Record<string, unknown>>

/** A container, or a range of a long one. */
type Node = {
  readonly id: string
  readonly segments: readonly Segment[]
  readonly name: string | undefined
  readonly value: unknown
  readonly range?: readonly [from: number, to: number] | undefined
}

const LONGEST_CONTAINER = 100
const OPEN_LEVELS = 2
const OPEN_CHILDREN = 50

export const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber)

const root = (value: unknown): Node => ({ id: '', segments: [], name: undefined, value })

/** The visible rows, in order. */
export const rowsOf = (value: unknown, opened: Opened): readonly JsonRow[] => {
  const rows: JsonRow[] = []
  const visit = (node: Node, level: number, position: number, siblings: number) => {
    const length = lengthOf(node)
    const open = length > 0 && (opened.get(node.id) ?? opensByItself(node, level, length))
    rows.push({
      id: node.id,
      segments: node.segments,
      level,
      position,
      siblings,
      name: node.name,
      value: node.value,
      children: length,
      open,
      range: node.range !== undefined,
    })
    if (!open) return
    const parts = partsOf(node)
    for (let index = 0; index < parts.length; index += 1) visit(parts[index]!, level + 1, index + 1, parts.length)
  }
  visit(root(value), 1, 1, 1)
  return rows
}

const opensByItself = ({ range }: Node, level: number, children: number): boolean =>
  range === undefined && (level === 1 || (level <= OPEN_LEVELS && children <= OPEN_CHILDREN))

const lengthOf = ({ value, range }: Node): number => {
  if (range !== undefined) return range[1] - range[0]
  if (!isContainer(value)) return 0
  return Array.isArray(value) ? value.length : namesOf(value).length
}

/** Cached, because it is needed often while a long object is open. Values never change. */
const names = new WeakMap<object, readonly string[]>()
const namesOf = (value: Container): readonly string[] => {
  const known = names.get(value)
  if (known !== undefined) return known
  const found = Object.keys(value)
  names.set(value, found)
  return found
}

const partsOf = (node: Node): readonly Node[] => {
  const [from, to] = node.range ?? [0, lengthOf(node)]
  const step = rangeStep(to - from)
  const parts: Node[] = []
  for (let start = from; start < to; start += step) {
    parts.push(step === 1 ? childAt(node, start) : rangeOf(node, start, Math.min(start + step, to)))
  }
  return parts
}

/** 1 for short containers; otherwise a power of 100 that leaves at most 100 parts. */
const rangeStep = (length: number): number => {
  let step = 1
  while (length / step > LONGEST_CONTAINER) step *= LONGEST_CONTAINER
  return step
}

const childAt = ({ segments, value }: Node, index: number): Node => {
  const container = value as Container
  const segment = Array.isArray(container) ? index : namesOf(container)[index]!
  return {
    id: idOf([...segments, segment]),
    segments: [...segments, segment],
    name: String(segment),
    value: (container as Readonly<Record<Segment, unknown>>)[segment],
  }
}

const rangeOf = ({ segments, value }: Node, from: number, to: number): Node => ({
  id: `${idOf(segments)}#${from}-${to}`,
  segments,
  name: `[${from} … ${to - 1}]`,
  value,
  range: [from, to],
})

/** A JSON pointer in which `#` is escaped too, because it begins a range. */
const idOf = (segments: readonly Segment[]): string => pointerOf(segments).replaceAll('#', '~2')

/** The ids of the ancestors of a part, ranges included, and its own id last. */
export const wayTo = (value: unknown, segments: readonly Segment[]): readonly string[] => {
  const way: string[] = []
  let node = root(value)
  for (const segment of segments) {
    way.push(node.id)
    const container = node.value as Container
    const index = typeof segment === 'number' ? segment : namesOf(container).indexOf(segment)
    for (let step = rangeStep(lengthOf(node)); step > 1; step = rangeStep(lengthOf(node))) {
      const [from, to] = node.range ?? [0, lengthOf(node)]
      const start = from + Math.floor((index - from) / step) * step
      node = rangeOf(node, start, Math.min(start + step, to))
      way.push(node.id)
    }
    node = childAt(node, index)
  }
  return [...way, node.id]
}

/** Opens the ancestors of a part, so that it is visible. */
export const openedTo = (value: unknown, segments: readonly Segment[], opened: Opened): Opened => {
  const next = new Map(opened)
  for (const id of wayTo(value, segments).slice(0, -1)) next.set(id, true)
  return next
}

/** Opens all rows, up to a limit of rows. */
export const allOpened = (value: unknown, mostRows: number): Opened => {
  const opened = new Map<string, boolean>()
  let rows = 1
  const waiting: Node[] = [root(value)]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const length = lengthOf(next)
    if (length === 0) continue
    rows += Math.min(length, LONGEST_CONTAINER)
    opened.set(next.id, rows <= mostRows)
    if (rows <= mostRows) waiting.push(...partsOf(next))
  }
  return opened
}

/** As JSONPath: `$.items[3]["first name"]`. */
export const pathText = (segments: readonly Segment[]): string =>
  `$${segments
    .map((segment) => {
      if (typeof segment === 'number') return `[${segment}]`
      return /^[A-Za-z_$][\w$]*$/.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`
    })
    .join('')}`
