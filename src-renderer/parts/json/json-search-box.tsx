import type { KeyboardEvent } from 'react'
import { inputClasses } from '../../ui/input-classes.ts'
import { HiddenInText } from '../../ui/visible.tsx'
import { count } from '../format.ts'
import { MatchSteps } from '../match-steps.tsx'

export const JsonSearchBox = ({
  label,
  query,
  onQuery,
  position,
  found,
  more,
  onStep,
}: {
  readonly label: string
  readonly query: string
  readonly onQuery: (query: string) => void
  /** From 1; 0 when nothing was found. */
  readonly position: number
  readonly found: number
  readonly more: boolean
  readonly onStep: (by: number) => void
}) => {
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      onStep(event.shiftKey ? -1 : 1)
    } else if (event.key === 'Escape' && query !== '') {
      event.stopPropagation()
      onQuery('')
    }
  }
  return (
    <span className="relative flex min-w-0 items-center gap-1">
      <input
        type="text"
        aria-label={label}
        placeholder="Search"
        value={query}
        onChange={(event) => onQuery(event.currentTarget.value)}
        onKeyDown={press}
        className={`${inputClasses} w-40 min-w-20 text-xs`}
      />
      <HiddenInText text={query} floats />
      <span role="status" className="tabular min-w-12 text-xs whitespace-nowrap text-soft">
        {query !== '' && `${position}/${count(found)}${more ? '+' : ''}`}
      </span>
      {query !== '' && <MatchSteps onStep={onStep} />}
    </span>
  )
}
