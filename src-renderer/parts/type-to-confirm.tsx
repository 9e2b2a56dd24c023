import { Field, TextInput } from '../ui/field.tsx'

/**
 * Why the confirm button is off until the text is typed; undefined once it is, or where none is asked for. Text that was copied
 * often has spaces around it.
 */
export const notTyped = (expected: string | undefined, typed: string): string | undefined =>
  expected === undefined || typed.trim() === expected ? undefined : `Type “${expected}” first`

export const TypeToConfirm = ({
  expected,
  typed,
  onType,
}: {
  readonly expected: string
  readonly typed: string
  readonly onType: (typed: string) => void
}) => (
  <Field label={`Type “${expected}” to confirm`}>
    <TextInput
      value={typed}
      onChange={(event) => onType(event.currentTarget.value)}
      autoComplete="off"
      spellCheck={false}
    />
  </Field>
)
