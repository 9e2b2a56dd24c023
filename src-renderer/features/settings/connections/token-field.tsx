// Where a token is typed. It stays in the field of the page and nowhere else: not in React's state, and without a name,
// so that no form ever sends it. It is gone with the field.

import { type Ref, type RefObject, useEffect, useId, useRef } from 'react'
import { inputClasses } from '../../../ui/input-classes.ts'

export const TokenField = ({
  field,
  onChange,
  hint,
  fault,
}: {
  readonly field: Ref<HTMLInputElement>
  /** Called when the user types. */
  readonly onChange: () => void
  readonly hint: string
  readonly fault: string | undefined
}) => {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        Token
      </label>
      <input
        ref={field}
        onChange={onChange}
        id={id}
        type="password"
        autoComplete="off"
        spellCheck={false}
        aria-describedby={`${id}-hint`}
        aria-invalid={fault !== undefined || undefined}
        aria-errormessage={fault === undefined ? undefined : `${id}-fault`}
        className={inputClasses}
      />
      <p id={`${id}-hint`} className="text-xs text-faint">
        {hint}
      </p>
      {fault !== undefined && (
        <p id={`${id}-fault`} role="alert" className="text-xs text-danger">
          {fault}
        </p>
      )}
    </div>
  )
}

/** Empties the field. A token is used once. */
export const clearToken = (field: HTMLInputElement | null): void => {
  if (field !== null) field.value = ''
}

/** Empties the field when the dialog closes. */
export const useTokenField = (): RefObject<HTMLInputElement | null> => {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const shown = field.current
    return () => clearToken(shown)
  }, [])
  return field
}
