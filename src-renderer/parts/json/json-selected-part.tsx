import { stringifyExactJson } from '../../exact-json.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { copyText } from '../copy-text.ts'
import { type JsonRow, pathText } from './json-tree.ts'
import { isolated, stringsIn } from '../../ui/isolated.tsx'
import { withEscapes } from '../../ui/hidden-characters.ts'
import { visible } from '../../ui/visible.tsx'

/** A string as it is, any other value as JSON. */
const textOf = (row: JsonRow): string => (typeof row.value === 'string' ? row.value : stringifyExactJson(row.value, 2))

export const copyRow = (row: JsonRow): void => copyText(textOf(row), 'Copied', pathText(row.segments))

const LONG_TEXT = 100
const MOST_SHOWN = 100_000

const isLong = (text: string): boolean => text.length > LONG_TEXT || text.includes('\n')

/** The selected part: its path, and the full text when its row is too short. */
export const SelectedPart = ({ row }: { readonly row: JsonRow }) => {
  const path = pathText(row.segments)
  const long = typeof row.value === 'string' && isLong(row.value) ? row.value : undefined
  return (
    <div className="border-t border-line">
      {long !== undefined && (
        <div tabIndex={0} role="region" aria-label={`Text at ${path}`} className="max-h-40 overflow-auto px-3 py-2">
          <pre className="font-mono text-xs break-words whitespace-pre-wrap">{visible(long.slice(0, MOST_SHOWN))}</pre>
        </div>
      )}
      <div className="flex min-h-7 items-center gap-1 px-2">
        <span className="min-w-0 truncate font-mono text-xs text-soft" title={withEscapes(path)}>
          {isolated(stringsIn(path))}
        </span>
        <CopyButton label="Copy path" text={path} />
        <span className="ml-auto" />
        <CopyValue row={row} />
      </div>
    </div>
  )
}

const CopyValue = ({ row }: { readonly row: JsonRow }) => (
  <span className="flex items-center gap-1 text-xs text-soft">
    <span aria-hidden="true">Value</span>
    <CopyButton label="Copy value" text={() => textOf(row)} />
  </span>
)
