import { failureOf } from '../api/failures.ts'
import { Button } from '../ui/button.tsx'

/** Below a list of which a page could not be read. */
export const RowsFailed = ({ error, retry }: { readonly error: Error; readonly retry: () => void }) => (
  <div role="alert" className="flex items-center gap-3 border-t border-failed/40 bg-failed-wash px-4 py-1.5">
    <p className="min-w-0 flex-1 truncate">These rows could not be loaded: {failureOf(error).message}</p>
    <Button onClick={retry}>Try again</Button>
  </div>
)
