// The form's widgets, made of this page's controls.

import {
  ariaDescribedByIds,
  enumOptionsIndexForValue,
  enumOptionsValueForIndex,
  type RegistryWidgetsType,
  type WidgetProps as AnyWidgetProps,
} from '@rjsf/utils'
import { createContext, use, useState } from 'react'
import { parseExactJson, parseExactNumber, stringifyExactJson } from '../../../exact-json.ts'
import { ownMember } from '../../../own-member.ts'
import { classNames } from '../../../ui/class-names.ts'
import { inputClasses } from '../../../ui/input-classes.ts'
import { isolated, stringsIn } from '../../../ui/isolated.tsx'
import { Select } from '../../../ui/select.tsx'
import { fromFormData, numberText, toFormData } from './form-data.ts'
import { isNullable, typesOf } from './nullable.ts'
import { HiddenInText, visible } from '../../../ui/visible.tsx'

type UsedProps =
  | 'id'
  | 'label'
  | 'hideLabel'
  | 'required'
  | 'disabled'
  | 'readonly'
  | 'rawErrors'
  | 'schema'
  | 'options'
/** The library's own type allows any name, as `any`. */
type WidgetProps = Pick<AnyWidgetProps, UsedProps> & {
  readonly multiple?: boolean
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

/** Whether a field is in an object that is left out, or null. */
export const IsAbsent = createContext(false)

const useAttributes = (props: WidgetProps) => {
  const isAbsent = use(IsAbsent)
  return {
    id: props.id,
    'aria-describedby': ariaDescribedByIds(props.id),
    'aria-invalid': (props.rawErrors?.length ?? 0) > 0 || undefined,
    'aria-required': (props.required === true && !isAbsent) || undefined,
    // Lists and maps show no label.
    'aria-label': props.hideLabel === true ? props.label : undefined,
    disabled: props.disabled === true,
    readOnly: props.readonly === true,
  }
}

const control = classNames(inputClasses, 'w-full aria-invalid:border-danger')

/** The schema's first example, or an example of a format that is hard to guess. */
const placeholderOf = ({ schema, value }: WidgetProps): string | undefined => {
  if (value === null) return 'null'
  const [example] = Array.isArray(schema.examples) ? (schema.examples as readonly unknown[]) : []
  if (typeof example === 'string' || typeof example === 'number') return String(example)
  const formats: Readonly<Record<string, string>> = {
    'date-time': '2026-01-31T09:30:00Z',
    date: '2026-01-31',
    time: '09:30:00Z',
    email: 'name@example.com',
    uri: 'https://example.com',
    duration: 'PT30M',
  }
  return ownMember(formats, schema.format ?? '')
}

/** Shows a value that does not fit its field, and keeps it. */
const Misfit = ({ value, id }: { readonly value: unknown; readonly id: string }) => (
  <output id={id} className="block truncate rounded-md border border-dashed border-line px-2 py-1 font-mono text-xs">
    {isolated(stringsIn(stringifyExactJson(fromFormData(value)).slice(0, 200)))}
  </output>
)

const isMisfit = (value: unknown): boolean => typeof value === 'object' && value !== null

const TextWidget = (props: WidgetProps) => {
  const attributes = useAttributes(props)
  // Decided once, so that the control does not change while the user types.
  const [isLong] = useState(typeof props.value === 'string' && (props.value.includes('\n') || props.value.length > 80))
  if (isMisfit(props.value)) return <Misfit value={props.value} id={props.id} />
  if (isLong) return <TextareaWidget {...props} />
  const text = numberText(props.value)
  return (
    <>
      <input
        {...attributes}
        type="text"
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholderOf(props)}
        value={text}
        onChange={(event) => props.onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
        className={control}
      />
      <HiddenInText text={text} />
    </>
  )
}

/** For a schema that accepts anything. */
export const AnythingWidget = (props: WidgetProps) => {
  const attributes = useAttributes(props)
  const [typed, setTyped] = useState<string>()
  const shown = stringifyExactJson(fromFormData(props.value))
  const isCurrent = typed !== undefined && stringifyExactJson(readAnything(typed)) === shown
  return (
    <input
      {...attributes}
      type="text"
      autoComplete="off"
      spellCheck={false}
      placeholder="Any JSON"
      value={isCurrent ? typed : shown}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        props.onChange(toFormData(readAnything(event.currentTarget.value)))
      }}
      className={classNames(control, 'font-mono text-xs')}
    />
  )
}

/** Text that is not JSON becomes a string. */
const readAnything = (text: string): unknown => {
  if (text.trim() === '') return undefined
  try {
    return parseExactJson(text)
  } catch {
    return text
  }
}

const TextareaWidget = (props: WidgetProps) => {
  const attributes = useAttributes(props)
  const text = numberText(props.value)
  return (
    <>
      <textarea
        {...attributes}
        rows={4}
        spellCheck={false}
        value={text}
        onChange={(event) => props.onChange(event.currentTarget.value === '' ? undefined : event.currentTarget.value)}
        className={classNames(control, 'h-auto py-1')}
      />
      <HiddenInText text={text} />
    </>
  )
}

/** For numbers of any size. Text that is not a number stays as typed, and is a fault. */
export const NumberWidget = (props: WidgetProps) => {
  const attributes = useAttributes(props)
  const [typed, setTyped] = useState<string>()
  const shown = numberText(props.value)
  if (isMisfit(props.value)) return <Misfit value={props.value} id={props.id} />
  const isCurrent = typed !== undefined && numberText(toFormData(readNumber(typed))) === shown
  return (
    <input
      {...attributes}
      type="text"
      inputMode={typesOf(props.schema).includes('integer') ? 'numeric' : 'decimal'}
      autoComplete="off"
      placeholder={placeholderOf(props)}
      value={isCurrent ? typed : shown}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        props.onChange(toFormData(readNumber(event.currentTarget.value)))
      }}
      className={classNames(control, 'tabular')}
    />
  )
}

const readNumber = (text: string): unknown => (text.trim() === '' ? undefined : (parseExactNumber(text.trim()) ?? text))

const NOT_SET = ''

const ChoiceWidget = (props: WidgetProps) => {
  if (props.multiple === true) return <SeveralWidget {...props} />
  const options = props.options.enumOptions ?? []
  const index = enumOptionsIndexForValue(props.value, options)
  const isKnown = typeof index === 'string'
  if (props.value !== undefined && !isKnown && isMisfit(props.value))
    return <Misfit value={props.value} id={props.id} />
  const shown = options.map(({ label, value }, at) => ({
    value: String(at),
    label: typeof value === 'string' || label !== String(value) ? label : stringifyExactJson(value),
  }))
  const strange = props.value !== undefined && !isKnown ? stringifyExactJson(fromFormData(props.value)) : undefined
  return (
    <Select
      id={props.id}
      label={props.label}
      describedBy={ariaDescribedByIds(props.id)}
      value={isKnown ? index : NOT_SET}
      options={[{ value: NOT_SET, label: strange ?? 'Not set' }, ...shown]}
      onChange={(next) => props.onChange(next === NOT_SET ? undefined : enumOptionsValueForIndex(next, options))}
      className="w-full"
    />
  )
}

/** Choices: true, false, not set, and null where it is allowed. */
const BooleanWidget = (props: WidgetProps) => {
  const choices = isNullable(props.schema) ? [true, false, null] : [true, false]
  const chosen = choices.find((choice) => choice === props.value)
  if (isMisfit(props.value)) return <Misfit value={props.value} id={props.id} />
  const strange =
    props.value !== undefined && chosen === undefined ? stringifyExactJson(fromFormData(props.value)) : undefined
  return (
    <Select
      id={props.id}
      label={props.label}
      describedBy={ariaDescribedByIds(props.id)}
      value={chosen === undefined ? NOT_SET : String(chosen)}
      options={[
        { value: NOT_SET, label: strange ?? 'Not set' },
        ...choices.map((choice) => ({ value: String(choice), label: String(choice) })),
      ]}
      onChange={(next) => props.onChange(choices.find((choice) => String(choice) === next))}
      className="w-full"
    />
  )
}

/** Checkboxes for several of a few choices. */
const SeveralWidget = (props: WidgetProps) => {
  const chosen: readonly unknown[] = Array.isArray(props.value) ? (props.value as readonly unknown[]) : []
  return (
    <div role="group" aria-label={props.label} className="flex flex-wrap gap-x-4 gap-y-1">
      {(props.options.enumOptions ?? []).map(({ label, value }) => (
        <label key={label} className="flex items-center gap-1.5">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={(event) =>
              props.onChange(event.currentTarget.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
            className="accent-accent"
          />
          <span className="min-w-0">{visible(label)}</span>
        </label>
      ))}
    </div>
  )
}

const TEXTS = [
  'TextWidget',
  'DateWidget',
  'DateTimeWidget',
  'TimeWidget',
  'EmailWidget',
  'URLWidget',
  'ColorWidget',
  'FileWidget',
  'PasswordWidget',
  'AltDateWidget',
  'AltDateTimeWidget',
] as const

export const formWidgets: RegistryWidgetsType = {
  ...Object.fromEntries(TEXTS.map((name) => [name, TextWidget])),
  TextareaWidget,
  UpDownWidget: NumberWidget,
  RangeWidget: NumberWidget,
  SelectWidget: ChoiceWidget,
  RadioWidget: ChoiceWidget,
  CheckboxWidget: BooleanWidget,
  CheckboxesWidget: SeveralWidget,
}
