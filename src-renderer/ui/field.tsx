import { Field as Base } from '@base-ui/react/field'
import type { ComponentProps, ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { inputClasses } from './input-classes.ts'
import { HiddenInText, visible } from './visible.tsx'

/** A labelled control. Screen readers read its hint and its error with it, and the error also when it appears. */
export const Field = ({
  label,
  isLabelHidden = false,
  hint,
  fault,
  children,
}: {
  readonly label: string
  /** For a control whose label is beside it already. */
  readonly isLabelHidden?: boolean
  readonly hint?: ReactNode
  readonly fault?: string | undefined
  readonly children: ReactNode
}) => (
  <Base.Root invalid={fault !== undefined} className="flex flex-col gap-1">
    <Base.Label className={isLabelHidden ? 'sr-only' : 'font-medium'}>{visible(label)}</Base.Label>
    {children}
    {hint !== undefined && <Base.Description className="text-xs text-faint">{visible(hint)}</Base.Description>}
    {fault !== undefined && (
      <Base.Error match role="alert" className="text-xs text-danger">
        {visible(fault)}
      </Base.Error>
    )}
  </Base.Root>
)

/** Outside a Field it needs an `aria-label`. */
export const TextInput = ({ className, ...rest }: ComponentProps<typeof Base.Control>) => (
  <>
    <Base.Control {...rest} className={classNames(inputClasses, typeof className === 'string' && className)} />
    {typeof rest.value === 'string' && <HiddenInText text={rest.value} />}
  </>
)
