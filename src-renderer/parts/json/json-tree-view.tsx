// The tree of a JSON value. Only rows in view are rendered; the keys are those of an ARIA tree.

import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronRight } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { ExactNumber, stringifyExactJson } from '../../exact-json.ts'
import { classNames } from '../../ui/class-names.ts'
import { plural } from '../format.ts'
import type { JsonRow } from './json-tree.ts'
import { visible } from '../../ui/visible.tsx'

const ROW_HEIGHT = 22
const LONGEST_PREVIEW = 300

export const JsonTreeView = ({
  label,
  rows,
  active,
  onActive,
  onToggle,
  onCopy,
  highlight,
}: {
  readonly label: string
  readonly rows: readonly JsonRow[]
  /** The id of the row with keyboard focus. */
  readonly active: string
  readonly onActive: (row: JsonRow) => void
  readonly onToggle: (row: JsonRow) => void
  readonly onCopy: (row: JsonRow) => void
  /** The search text. */
  readonly highlight: string
}) => {
  const scroller = useRef<HTMLDivElement>(null)
  const prefix = useId()
  const index = Math.max(
    0,
    rows.findIndex((row) => row.id === active),
  )
  // oxlint-disable-next-line react/incompatible-library -- its result stays in this component
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    getItemKey: (at) => rows[at]!.id,
  })
  useEffect(() => {
    if (index > 0) virtual.scrollToIndex(index, { align: 'auto' })
  }, [index, virtual])

  const go = (to: number) => {
    const row = rows[Math.min(Math.max(0, to), rows.length - 1)]
    if (row !== undefined) onActive(row)
  }
  const press = (event: KeyboardEvent) => {
    const row = rows[index]
    if (row === undefined) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 1)
    const keys: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      PageDown: () => go(index + page),
      PageUp: () => go(index - page),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      ArrowRight: () => (row.children > 0 && !row.open ? onToggle(row) : go(row.open ? index + 1 : index)),
      ArrowLeft: () => (row.open ? onToggle(row) : go(parentOf(rows, index))),
      Enter: () => row.children > 0 && onToggle(row),
      ' ': () => row.children > 0 && onToggle(row),
      '*': () => rows.filter((one) => isSibling(one, row) && one.children > 0 && !one.open).forEach(onToggle),
    }
    const isCopy = (event.ctrlKey || event.metaKey) && event.key === 'c'
    if (isCopy && window.getSelection()?.isCollapsed !== false) onCopy(row)
    else if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return
    else keys[event.key]!()
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      ref={scroller}
      role="tree"
      aria-label={label}
      aria-activedescendant={`${prefix}${rows[index]?.id ?? ''}`}
      tabIndex={0}
      onKeyDown={press}
      className="clear-of-notice min-h-0 flex-1 overflow-auto py-1 font-mono text-xs focus-visible:outline-offset-[-2px]"
    >
      <div role="none" className="relative w-max min-w-full" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index]!
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the tree has the focus and the keys
            <div
              key={item.key}
              id={`${prefix}${row.id}`}
              role="treeitem"
              aria-level={row.level}
              aria-posinset={row.position}
              aria-setsize={row.siblings}
              aria-selected={item.index === index}
              aria-expanded={row.children > 0 ? row.open : undefined}
              onClick={() => onActive(row)}
              onDoubleClick={() => row.children > 0 && onToggle(row)}
              className={classNames(
                'absolute top-0 left-0 flex min-w-full items-center pr-3 whitespace-pre',
                item.index === index ? 'bg-selected' : 'hover:bg-hover',
              )}
              style={{
                height: ROW_HEIGHT,
                transform: `translateY(${item.start}px)`,
                paddingLeft: 4 + (row.level - 1) * 14,
              }}
            >
              <span
                aria-hidden="true"
                onClick={() => row.children > 0 && onToggle(row)}
                className="flex w-4 shrink-0 justify-center self-stretch text-faint"
              >
                {row.children > 0 && (
                  <ChevronRight size={12} className={classNames('self-center', row.open && 'rotate-90')} />
                )}
              </span>
              {row.name !== undefined && (
                <>
                  <span className={row.range || typeof row.segments.at(-1) === 'number' ? 'text-faint' : 'text-accent'}>
                    <Marked text={row.name} mark={row.range ? '' : highlight} />
                  </span>
                  <span className="text-faint">: </span>
                </>
              )}
              <Preview row={row} highlight={highlight} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

const parentOf = (rows: readonly JsonRow[], index: number): number => {
  const level = rows[index]!.level
  for (let at = index - 1; at >= 0; at -= 1) if (rows[at]!.level < level) return at
  return index
}

/** Whether two rows have the same parent: their ids differ only after the last separator. */
const isSibling = (one: JsonRow, other: JsonRow): boolean =>
  one.level === other.level && one.id.slice(0, one.id.lastIndexOf('/')) === other.id.slice(0, other.id.lastIndexOf('/'))

const Preview = ({ row, highlight }: { readonly row: JsonRow; readonly highlight: string }): ReactNode => {
  const { value } = row
  if (row.range) return <span className="text-faint">{plural(row.children, 'item')}</span>
  if (Array.isArray(value)) {
    return <span className="text-soft">{value.length === 0 ? '[]' : `[ ${plural(value.length, 'item')} ]`}</span>
  }
  if (typeof value === 'object' && value !== null && !(value instanceof ExactNumber)) {
    return <span className="text-soft">{row.children === 0 ? '{}' : `{ ${plural(row.children, 'member')} }`}</span>
  }
  const isCut = typeof value === 'string' && value.length > LONGEST_PREVIEW
  const shown = isCut ? `${stringifyExactJson(value.slice(0, LONGEST_PREVIEW))} …` : stringifyExactJson(value)
  return (
    <span className={toneOf(value)}>
      <Marked text={shown} mark={highlight} />
    </span>
  )
}

const toneOf = (value: unknown): string => {
  if (typeof value === 'string') return 'text-completed'
  if (typeof value === 'boolean' || value === null) return 'text-waiting'
  return 'text-queued'
}

/** A text with the matches of the search marked. */
const Marked = ({ text, mark }: { readonly text: string; readonly mark: string }): ReactNode => {
  const at = mark === '' ? -1 : text.toLowerCase().indexOf(mark.toLowerCase())
  if (at === -1) return visible(text)
  return (
    <>
      {visible(text.slice(0, at))}
      <mark className="rounded-xs bg-waiting-fill/40 text-ink">{visible(text.slice(at, at + mark.length))}</mark>
      {visible(text.slice(at + mark.length))}
    </>
  )
}
