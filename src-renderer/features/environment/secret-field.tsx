// A field for secret text of several lines. The page keeps it nowhere else, and empties it when it goes.

import { Eye, EyeOff } from 'lucide-react'
import { type RefObject, useEffect, useId, useState } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { inputClasses } from '../../ui/input-classes.ts'

export const SecretField = ({
  label,
  hint,
  fault,
  rows,
  field,
  onInput,
}: {
  readonly label: string
  readonly hint?: string | undefined
  readonly fault?: string | undefined
  readonly rows: number
  readonly field: RefObject<HTMLTextAreaElement | null>
  readonly onInput?: (text: string) => void
}) => {
  const id = useId()
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const { current } = field
    return () => {
      if (current !== null) current.value = ''
    }
  }, [field])
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center justify-between gap-2">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <IconButton
          label={isShown ? 'Hide the text' : 'Show the text'}
          aria-pressed={isShown}
          small
          onClick={() => setShown(!isShown)}
        >
          {isShown ? <EyeOff size={14} /> : <Eye size={14} />}
        </IconButton>
      </div>
      <textarea
        ref={field}
        id={id}
        rows={rows}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={`${id}-hint ${id}-fault`}
        onInput={(event) => onInput?.(event.currentTarget.value)}
        className={classNames(inputClasses, 'h-auto w-full resize-y py-1 font-mono text-xs', !isShown && 'masked')}
      />
      <p id={`${id}-hint`} className="text-xs text-faint empty:hidden">
        {hint}
      </p>
      <p id={`${id}-fault`} role="alert" className="text-xs text-danger empty:hidden">
        {fault}
      </p>
    </div>
  )
}
