import { ChevronDown } from 'lucide-react'
import type { FindListProps } from '../ui/find-list.tsx'
import { visible } from '../ui/visible.tsx'
import { FindButton } from './find-button.tsx'
import { loadedAhead } from './loaded-when-shown.ts'

const FindList = loadedAhead(async () => (await import('../ui/find-list.tsx')).FindList)

type FindSelectProps = Pick<FindListProps, 'label' | 'one' | 'options' | 'onChange'> & {
  readonly value: string
  readonly className?: string
}

/** Selects one of many options, in which the user searches. `label` is its accessible name. */
export const FindSelect = ({ label, value, className = 'max-w-64', ...list }: FindSelectProps) => {
  const shown = list.options.find((option) => option.value === value)?.label ?? value
  return (
    <FindButton
      label={`${label}: ${shown}`}
      className={`h-7 pointer-coarse:h-9 gap-1.5 px-2.5 ${className}`}
      list={(opened) => <FindList {...list} {...opened} label={label} value={value} />}
    >
      <span className="min-w-0 flex-1 truncate">{visible(shown)}</span>
      <ChevronDown size={14} className="shrink-0 text-faint" />
    </FindButton>
  )
}
