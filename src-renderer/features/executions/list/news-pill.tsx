import { ArrowUp } from 'lucide-react'
import type { News } from './live-rows.ts'

/** Shows how many Executions started while the list did not add rows, and adds them when clicked. It covers no row. */
export const NewsPill = ({ news: { count, more }, onClick }: { readonly news: News; readonly onClick: () => void }) =>
  count > 0 && (
    <button
      type="button"
      onClick={onClick}
      className="absolute top-0.5 left-1/2 z-30 inline-flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-full border border-transparent bg-accent px-3 text-sm font-medium text-on-accent shadow-float hover:bg-accent-strong"
    >
      <ArrowUp size={14} />
      {more ? `${count}+` : count} new
    </button>
  )
