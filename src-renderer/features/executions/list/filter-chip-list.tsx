import { X } from 'lucide-react'
import { useRef } from 'react'
import { useFocusAfterRemoval } from '../../../parts/use-focus-after-removal.ts'
import { usePreferences } from '../../../stores/preferences.ts'
import { Button } from '../../../ui/button.tsx'
import { chipsOf } from './filter-chips.ts'
import { focusScreenAfter } from '../../../ui/focus-screen.ts'
import { useFilterNames } from './use-filter-names.ts'
import type { ListFilter } from './search-filter.ts'
import { withEscapes } from '../../../ui/hidden-characters.ts'
import { visible } from '../../../ui/visible.tsx'

/** The active filters as chips: each can be removed or inverted. */
export const FilterChipList = ({
  filter,
  onFilter,
}: {
  readonly filter: ListFilter
  readonly onFilter: (filter: ListFilter) => void
}) => {
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const chips = chipsOf(filter, display, useFilterNames(filter))
  const list = useRef<HTMLUListElement>(null)
  const keepFocus = useFocusAfterRemoval(list)
  if (chips.length === 0) return null
  return (
    <div className="flex items-start gap-1.5 max-sm:flex-wrap">
      <ul ref={list} {...keepFocus} aria-label="Filters" className="flex min-w-0 flex-wrap items-center gap-1.5">
        {chips.map(({ what, how, value, without, opposite }) => {
          const text = [what, how, value].filter((part) => part !== '').join(' ')
          return (
            <li
              key={text}
              className="inline-flex min-h-6 max-w-[min(22.5rem,100%)] items-center rounded-md border border-line-strong bg-raised pl-2 text-xs"
            >
              <span className="shrink-0 text-soft">{what}</span>{' '}
              {opposite === undefined ? (
                <span className="mx-1 shrink-0 text-faint">{how}</span>
              ) : (
                <button
                  type="button"
                  aria-label={`${text}: invert`}
                  title="Invert"
                  onClick={() => onFilter(opposite)}
                  className="mx-0.5 rounded px-0.5 whitespace-nowrap text-accent hover:bg-hover hover:underline"
                >
                  {how}
                </button>
              )}{' '}
              <span
                title={withEscapes(value)}
                className="truncate font-medium max-sm:line-clamp-2 max-sm:whitespace-normal"
              >
                {visible(value)}
              </span>
              <button
                type="button"
                aria-label={`Remove ${text}`}
                onClick={() => onFilter(without)}
                className="ml-1 inline-flex w-6 self-stretch shrink-0 items-center justify-center rounded-md text-faint hover:bg-hover hover:text-ink"
              >
                <X size={12} />
              </button>
            </li>
          )
        })}
      </ul>
      <Button ref={focusScreenAfter} kind="quiet" small className="shrink-0 sm:-mr-2" onClick={() => onFilter({})}>
        Clear filters
      </Button>
    </div>
  )
}
