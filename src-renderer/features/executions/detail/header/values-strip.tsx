// A preview of the input and the result above the tabs. The Data tab shows them in full.

import { useMemo } from 'react'
import type { Execution } from '#sdk/index.ts'
import { stringifyExactJson } from '../../../../exact-json.ts'
import { classNames } from '../../../../ui/class-names.ts'
import { useView } from '../use-view.ts'
import { isolated, stringsIn } from '../../../../ui/isolated.tsx'

/** Longer previews do not fit into two lines. */
const LONGEST = 600

/** Its lines end behind a colon or a comma rather than within a word. */
const spaced = (json: string): readonly string[] =>
  stringsIn(json).map((part, at) => (at % 2 === 0 ? part.replaceAll(/[:,]/g, '$& ') : part))

export const ValuesStrip = ({ execution }: { readonly execution: Execution }) => {
  const { input, result, status } = execution
  if (input === undefined && result === undefined) return null
  return (
    <section
      aria-label="Input and result"
      className="flex shrink-0 border-b border-line max-sm:flex-col sm:divide-x sm:divide-line"
    >
      {input !== undefined && <Brief title="Input" value={input} />}
      {status === 'completed' && <Brief title="Result" value={result} />}
    </section>
  )
}

const Brief = ({ title, value }: { readonly title: string; readonly value: unknown }) => {
  const { change } = useView()
  const text = useMemo(
    () => (value === undefined ? undefined : spaced(stringifyExactJson(value).slice(0, LONGEST))),
    [value],
  )
  return (
    <div className="flex min-w-0 flex-1 items-baseline gap-3 px-5 py-1.5">
      <button
        type="button"
        title={`Show the whole ${title.toLowerCase()}`}
        className="w-11 shrink-0 rounded-sm text-left text-xs text-faint hover:text-ink hover:underline"
        onClick={() => change({ tab: 'data' }, 'push')}
      >
        {title}
      </button>
      <p
        className={classNames(
          'line-clamp-2 min-w-0 wrap-anywhere text-xs',
          text === undefined ? 'text-faint' : 'font-mono',
        )}
      >
        {text === undefined ? 'The Program returned nothing' : isolated(text)}
      </p>
    </div>
  )
}
