import { inputClasses } from '../../../ui/input-classes.ts'
import { HiddenInText } from '../../../ui/visible.tsx'
import { LONGEST_LABEL } from './search-filter.ts'
import { useTypedText } from './use-typed-text.ts'

/** Text that the label of an Execution has. */
export const LabelBox = ({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }) => {
  const { shown, type, settle, clear, leave } = useTypedText(text, onText)
  return (
    <div className="relative flex w-40 items-center">
      <input
        type="text"
        aria-label="Label"
        placeholder="Label"
        value={shown}
        maxLength={LONGEST_LABEL}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => type(event.currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key === 'Escape' && currentTarget.value === '') currentTarget.blur()
          else if (key === 'Escape') clear()
          else if (key === 'Enter') settle(currentTarget.value)
        }}
        onBlur={(event) => leave(event.currentTarget.value)}
        className={`${inputClasses} w-full`}
      />
      <HiddenInText text={shown} floats />
    </div>
  )
}
