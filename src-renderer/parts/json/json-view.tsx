// Shows a JSON value as a tree or as text, with search and copy. Values may be large: only what is in view is rendered,
// and the search runs in slices.

import { ChevronsDownUp, ChevronsUpDown } from 'lucide-react'
import { Suspense, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { stringifyExactJson } from '../../exact-json.ts'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { bytes } from '../format.ts'
import { CodeEditor } from './json-editor.tsx'
import { JsonSearchBox } from './json-search-box.tsx'
import { type Matches, NO_MATCHES, searchJson } from './json-search.ts'
import { copyRow, SelectedPart } from './json-selected-part.tsx'
import { allOpened, type JsonRow, openedTo, type Opened, rowsOf } from './json-tree.ts'
import { JsonTreeView } from './json-tree-view.tsx'

export type JsonViewProps = {
  /** The accessible name: `Input`, `Result`. */
  readonly label: string
  /** undefined when there is no value. */
  readonly value: unknown
  /** Shown when there is no value. */
  readonly nothing?: string
  /** Sets the height. By default the view grows with its rows, up to two thirds of the window. */
  readonly className?: string
}

export const JsonView = ({ label, value, nothing = 'Nothing', className }: JsonViewProps) =>
  value === undefined ? (
    <p className="rounded-md border border-dashed border-line px-3 py-2 text-soft">{nothing}</p>
  ) : (
    <section
      aria-label={label}
      className={classNames(
        'flex min-h-0 flex-col overflow-hidden rounded-md border border-line bg-sunken',
        className ?? 'max-h-[66vh]',
      )}
    >
      <Viewer label={label} value={value} />
    </section>
  )

const MOST_OPENED = 5_000

const Viewer = ({ label, value }: { readonly label: string; readonly value: unknown }) => {
  const [mode, setMode] = useState<'tree' | 'raw'>('tree')
  const [query, setQuery] = useState('')
  const [current, setCurrent] = useState(0)
  const [opened, setOpened] = useState<Opened>(new Map())
  const [active, setActive] = useState('')
  const compact = useMemo(() => stringifyExactJson(value), [value])
  const size = useMemo(() => new Blob([compact]).size, [compact])
  const rows = useMemo(() => rowsOf(value, opened), [value, opened])
  const pretty = useMemo(() => (mode === 'raw' ? stringifyExactJson(value, 2) : ''), [mode, value])
  const deferredQuery = useDeferredValue(query)
  const inTree = useTreeMatches(value, mode === 'tree' ? deferredQuery : '')
  const inText = useMemo(() => textMatches(pretty, deferredQuery), [pretty, deferredQuery])
  const found = mode === 'tree' ? inTree.found.length : inText.found.length
  const more = mode === 'tree' ? inTree.more : inText.more

  const show = (index: number, matches: Matches) => {
    const segments = matches.found[index]
    if (segments === undefined) return
    const next = openedTo(value, segments, opened)
    setOpened(next)
    setActive(rowsOf(value, next).find((row) => isAt(row, segments))?.id ?? '')
  }
  const [shownFor, setShownFor] = useState<Matches>(NO_MATCHES)
  if (mode === 'tree' && shownFor !== inTree) {
    setShownFor(inTree)
    setCurrent(0)
    show(0, inTree)
  }
  const step = (by: number) => {
    if (found === 0) return
    const next = (current + by + found) % found
    setCurrent(next)
    if (mode === 'tree') show(next, inTree)
  }
  const selected = rows.find((row) => row.id === active) ?? rows[0]!
  const selection = useMemo(() => {
    const from = mode === 'raw' ? inText.found[Math.min(current, inText.found.length - 1)] : undefined
    return from === undefined ? undefined : { from, to: from + deferredQuery.length }
  }, [mode, inText, current, deferredQuery])

  return (
    <>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-2 py-1.5">
        <Segmented
          label={`View of ${label}`}
          value={mode}
          options={[
            { value: 'tree', label: 'Tree' },
            { value: 'raw', label: 'Raw' },
          ]}
          onChange={setMode}
        />
        <JsonSearchBox
          label={`Search in ${label}`}
          query={query}
          onQuery={(next) => {
            setQuery(next)
            setCurrent(0)
          }}
          position={found === 0 ? 0 : Math.min(current, found - 1) + 1}
          found={found}
          more={more}
          onStep={step}
        />
        <span className="ml-auto flex items-center gap-x-2">
          <span className="tabular text-xs whitespace-nowrap text-faint">{bytes(size)}</span>
          {mode === 'tree' && rows.length > 1 && (
            <>
              <IconButton label="Expand all" small onClick={() => setOpened(allOpened(value, MOST_OPENED))}>
                <ChevronsUpDown size={14} />
              </IconButton>
              <IconButton label="Collapse all" small onClick={() => setOpened(allOpened(value, 0))}>
                <ChevronsDownUp size={14} />
              </IconButton>
            </>
          )}
          <CopyButton label={`Copy ${label}`} text={() => stringifyExactJson(value, 2)} />
        </span>
      </div>
      {mode === 'tree' ? (
        <>
          <JsonTreeView
            label={label}
            rows={rows}
            active={active}
            onActive={(row) => setActive(row.id)}
            onToggle={(row) => {
              setActive(row.id)
              setOpened((before) => new Map(before).set(row.id, !row.open))
            }}
            onCopy={copyRow}
            highlight={deferredQuery}
          />
          <SelectedPart row={selected} />
        </>
      ) : (
        <div className="min-h-40 flex-1">
          <Suspense fallback={<Loading what="the editor" />}>
            <CodeEditor label={`${label}, raw`} text={pretty} selection={selection} />
          </Suspense>
        </div>
      )}
    </>
  )
}

const isAt = (row: JsonRow, segments: readonly (string | number)[]): boolean =>
  !row.range && row.segments.length === segments.length && row.segments.every((one, index) => one === segments[index])

const rest = (): Promise<void> => new Promise((resolve) => setTimeout(resolve))

const useTreeMatches = (value: unknown, query: string): Matches => {
  const [matches, setMatches] = useState<Matches>(NO_MATCHES)
  useEffect(() => {
    const abandoned = new AbortController()
    void searchJson(value, query, abandoned.signal, rest).then((found) => {
      if (!abandoned.signal.aborted) setMatches(found)
    })
    return () => abandoned.abort()
  }, [value, query])
  return matches
}

const MOST_IN_TEXT = 1_000

/** The offsets of a text. */
const textMatches = (text: string, query: string): { readonly found: readonly number[]; readonly more: boolean } => {
  if (query === '' || text === '') return { found: [], more: false }
  const found: number[] = []
  const lower = text.toLowerCase()
  const sought = query.toLowerCase()
  for (let at = lower.indexOf(sought); at !== -1; at = lower.indexOf(sought, at + sought.length)) {
    if (found.length === MOST_IN_TEXT) return { found, more: true }
    found.push(at)
  }
  return { found, more: false }
}
