// The full history entry, in a pane beside the timeline or the history, or over them where there is no room beside them.

import { ArrowLeft, ChevronDown, ChevronUp, X } from 'lucide-react'
import { type ReactNode, useEffect, useEffectEvent, useRef } from 'react'
import type { Execution, JsonValue } from '#sdk/index.ts'
import { count } from '../../../../parts/format.ts'
import { JsonView } from '../../../../parts/json/json-view.tsx'
import { useShortcut } from '../../../../parts/shortcuts.ts'
import { At } from '../../../../parts/time.tsx'
import { Badge } from '../../../../ui/badge.tsx'
import { IconButton } from '../../../../ui/button.tsx'
import { errorChain, errorIn } from '../failure/stack.ts'
import { StackView, type Thrower } from '../failure/stack-view.tsx'
import { type EntryLine, messageIn } from '../journal/entry-line.ts'
import type { Journal } from '../journal/journal.ts'
import { sinceStart, toneOfEntry } from './entry-words.ts'
import { relatedEntries } from './related-entries.ts'
import { ResizablePane } from './resizable-pane.tsx'
import { WholeData } from './whole-data.tsx'
import { visible } from '../../../../ui/visible.tsx'

export type EntryPaneProps = {
  readonly execution: Execution
  readonly journal: Journal
  readonly line: EntryLine
  readonly onSelect: (position: number) => void
  readonly onClose: () => void
  /** Called when the pane has gone, and the focus with it. */
  readonly onClosed: () => void
}

export const EntryPane = ({ execution, journal, line, onSelect, onClose, onClosed }: EntryPaneProps) => {
  useShortcut('leave', onClose)
  const pane = useRef<HTMLElement>(null)
  const closed = useEffectEvent(onClosed)
  useEffect(() => {
    // A pane over the list takes the focus from it.
    if (document.activeElement?.checkVisibility({ visibilityProperty: true }) === false) pane.current?.focus()
    return () => {
      if (document.activeElement === document.body) closed()
    }
  }, [])
  const start = journal.span()?.from ?? line.at
  return (
    <ResizablePane ref={pane} label="Entry">
      <header className="flex flex-wrap items-center gap-x-2 border-b border-line py-1.5 pr-2 pl-4">
        <span className="hidden crowded:contents">
          <IconButton label="Close the entry" onClick={onClose} className="-ml-2">
            <ArrowLeft size={15} />
          </IconButton>
        </span>
        <h2 className="tabular font-semibold">#{line.position}</h2>
        <Badge tone={toneOfEntry(line.type)}>
          <span className="font-mono">{line.type}</span>
        </Badge>
        <span className="ml-auto flex">
          <Step label="Previous entry" to={journal.lineAt(line.position - 1)} onSelect={onSelect}>
            <ChevronUp size={15} />
          </Step>
          <Step label="Next entry" to={journal.lineAt(line.position + 1)} onSelect={onSelect}>
            <ChevronDown size={15} />
          </Step>
          <IconButton label="Close the entry" onClick={onClose} className="crowded:hidden">
            <X size={15} />
          </IconButton>
        </span>
      </header>
      <div className="clear-of-notice min-h-0 flex-1 overflow-auto px-4 py-3">
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          <Member term="At">
            <At at={new Date(line.at).toISOString()} />{' '}
            <span className="tabular text-faint">{sinceStart(line.at, start)}</span>
          </Member>
          {line.name !== undefined && <Member term="Name">{visible(line.name)}</Member>}
          {line.command !== undefined && <Member term="Command">{line.command}</Member>}
          {line.attempt !== undefined && <Member term="Attempt">{line.attempt}</Member>}
          {line.dueAt !== undefined && (
            <Member term={DUE[line.type] ?? 'Due'}>
              <At at={new Date(line.dueAt).toISOString()} />
            </Member>
          )}
        </dl>
        <Related journal={journal} line={line} onSelect={onSelect} />
        {line.size > 0 && (
          <WholeData executionId={execution.id} journal={journal} line={line}>
            {(data) => <Data data={data} thrower={execution} />}
          </WholeData>
        )}
      </div>
    </ResizablePane>
  )
}

const DUE: Readonly<Partial<Record<EntryLine['type'], string>>> = {
  timer_scheduled: 'Wakes',
  wait_scheduled: 'Times out',
  effect_attempt_failed: 'Next attempt',
}

const Member = ({ term, children }: { readonly term: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-faint">{term}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </>
)

const Step = ({
  label,
  to,
  onSelect,
  children,
}: {
  readonly label: string
  readonly to: EntryLine | undefined
  readonly onSelect: (position: number) => void
  readonly children: ReactNode
}) => (
  <IconButton
    label={label}
    disabledReason={to === undefined ? 'None' : undefined}
    onClick={() => to !== undefined && onSelect(to.position)}
  >
    {children}
  </IconButton>
)

const Related = ({ journal, line, onSelect }: Pick<EntryPaneProps, 'journal' | 'line' | 'onSelect'>) => {
  const related = relatedEntries(journal, line)
  if (related.length < 2) return null
  return (
    <ol aria-label="Related entries" className="mt-3 flex flex-wrap gap-1">
      {related.map(({ position, label, skipped }) => (
        <li key={position} className="flex items-center gap-1">
          {skipped > 0 && <span className="tabular px-1 text-xs text-faint">… {count(skipped)} more …</span>}
          <button
            type="button"
            aria-current={position === line.position ? 'true' : undefined}
            className="tabular h-6 rounded-md border border-line px-2 text-xs text-soft hover:bg-hover hover:text-ink aria-[current]:border-accent aria-[current]:bg-selected aria-[current]:text-ink"
            onClick={() => onSelect(position)}
          >
            #{position} {label}
          </button>
        </li>
      ))}
    </ol>
  )
}

/** Messages and stacks as text, followed by the JSON. */
const Data = ({ data, thrower }: { readonly data: JsonValue | undefined; readonly thrower: Thrower }) => {
  const message = messageIn(data)
  const error = errorIn(data)
  return (
    <>
      {message !== undefined && (
        <Part title="Message">
          <pre className="font-mono text-xs break-words whitespace-pre-wrap">{visible(message)}</pre>
        </Part>
      )}
      {error !== undefined && (
        <Part title="Error">
          <StackView chain={errorChain(error)} thrower={thrower} />
        </Part>
      )}
      {data !== undefined && (
        <Part title="Data">
          <JsonView label="Data" value={data} />
        </Part>
      )}
    </>
  )
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="mt-4">
    <h3 className="mb-1 text-xs font-semibold text-faint">{title}</h3>
    {children}
  </section>
)
