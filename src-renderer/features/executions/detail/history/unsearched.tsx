import { plural } from '../../../../parts/format.ts'
import type { TextSearch } from './use-text-search.ts'

/** Large entries that a search has not looked into, or could not read. */
export const Unsearched = ({ search: { unread, failed } }: { readonly search: TextSearch }) =>
  unread > 0 && (
    <span role="status" className="text-xs text-faint">
      {plural(unread, 'large entry', 'large entries')} {failed ? 'could not be searched' : 'to search'}
    </span>
  )
