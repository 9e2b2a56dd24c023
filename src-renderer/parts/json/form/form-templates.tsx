// The layout of the form's fields.

import {
  ADDITIONAL_PROPERTY_FLAG,
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  type CyclicSchemaExpandProps,
  descriptionId,
  errorId,
  type FieldTemplateProps,
  getSchemaType,
  type IconButtonProps as FormButtonProps,
  type MultiSchemaFieldTemplateProps,
  type ObjectFieldTemplateProps,
  type TemplatesType,
  titleId,
  type UnsupportedFieldProps,
} from '@rjsf/utils'
import { ArrowDown, ArrowUp, Copy, Plus, Trash2 } from 'lucide-react'
import { createContext, type ReactNode, use } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { inputClasses } from '../../../ui/input-classes.ts'
import { pointerOf } from '../json-pointer.ts'
import { useReportFaults } from './faults-at-fields.ts'
import { NAMED_HERE } from './form-data.ts'
import { IsAbsent } from './form-widgets.tsx'
import { isNullable } from './nullable.ts'
import { visible } from '../../../ui/visible.tsx'

const Nothing = () => null

/** The members of an object or the items of a list, indented under their name. */
const Group = ({
  id,
  isRoot,
  title,
  description,
  required,
  children,
}: {
  readonly id: string
  readonly isRoot: boolean
  readonly title: string
  readonly description?: ReactNode
  readonly required: boolean
  readonly children: ReactNode
}) => (
  <div
    role={isRoot || title === '' ? undefined : 'group'}
    aria-labelledby={isRoot || title === '' ? undefined : titleId(id)}
    className={isRoot ? 'flex flex-col gap-3' : 'flex flex-col gap-2.5 border-l-2 border-line pl-3'}
  >
    {!isRoot && title !== '' && (
      <div id={titleId(id)} className="font-medium">
        {visible(title)}
        {required && <Required />}
      </div>
    )}
    {description !== undefined && description !== '' && <p className="text-xs text-faint">{visible(description)}</p>}
    {children}
  </div>
)

const Faults = ({
  id,
  path,
  subject,
  messages,
}: {
  readonly id: string
  readonly path: string
  readonly subject: string
  readonly messages: readonly string[]
}) => {
  useReportFaults(path, messages.length > 0)
  if (messages.length === 0) return null
  return (
    <p id={id} data-fault className="text-xs text-danger">
      {visible(messages.map((message) => `${subject} ${message}`).join('. '))}
    </p>
  )
}

/** The members of an object that is left out, or null, are not required. */
const Required = () =>
  use(IsAbsent) ? null : (
    <span aria-hidden="true" title="Required" className="ml-0.5 text-danger">
      *
    </span>
  )

/** The path of the field around a field. It is the same for an alternative of a value, whose faults the field shows. */
const FieldAround = createContext<string | undefined>(undefined)

const FieldTemplate = (props: FieldTemplateProps) => {
  const { id, label, displayLabel, required, rawDescription, rawErrors = [], children, hidden, schema } = props
  const path = pointerOf(props.fieldPathId.path)
  const around = use(FieldAround)
  if (hidden === true) return <div hidden>{children}</div>
  if (ADDITIONAL_PROPERTY_FLAG in schema) return <AdditionalMember {...props} />
  const isItem = typeof props.fieldPathId.path.at(-1) === 'number'
  const field = (
    <FieldAround value={path}>
      <WithNull {...props}>{children}</WithNull>
    </FieldAround>
  )
  const faults = path !== around && (
    <Faults id={errorId(id)} path={path} subject={isItem ? 'This item' : label} messages={rawErrors} />
  )
  // The library expects a boolean's widget to show the label.
  if (displayLabel !== true && getSchemaType(schema) !== 'boolean') {
    return (
      <div className="flex flex-col gap-1">
        {field}
        {faults}
      </div>
    )
  }
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className={isItem ? 'sr-only' : 'font-medium'}>
        {visible(label)}
        {required === true && <Required />}
      </label>
      {field}
      {rawDescription !== undefined && rawDescription !== '' && (
        <p id={descriptionId(id)} className="text-xs text-faint">
          {visible(rawDescription)}
        </p>
      )}
      {faults}
    </div>
  )
}

/** A field, with a box beside it that is checked while its value is null, where it may be null. */
const WithNull = ({ schema, label, formData, fieldPathId, disabled, onChange, children }: FieldTemplateProps) => {
  // These are selects, which offer null themselves.
  const isSelect = 'enum' in schema || getSchemaType(schema) === 'boolean'
  if (isSelect || !isNullable(schema)) return children
  return (
    <div className="flex items-start gap-2">
      <div className="min-w-0 flex-1">{children}</div>
      <label className="flex h-7 items-center gap-1.5 text-xs text-soft pointer-coarse:h-9">
        <input
          type="checkbox"
          aria-label={`${label} is null`}
          checked={formData === null}
          disabled={disabled}
          onChange={(event) => onChange(event.currentTarget.checked ? null : undefined, fieldPathId.path)}
          className="accent-accent"
        />
        null
      </label>
    </div>
  )
}

/** A member whose name the user edits. */
const AdditionalMember = (props: FieldTemplateProps) => {
  const { id, label, children, onKeyRenameBlur, onRemoveProperty, fieldPathId, rawErrors = [] } = props
  return (
    <div className="flex flex-col gap-1">
      <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)_auto] items-start gap-2">
        <input
          key={label}
          aria-label={`Name of ${label}`}
          defaultValue={label}
          onBlur={onKeyRenameBlur}
          className={inputClasses}
        />
        <div className="min-w-0">
          <WithNull {...props}>{children}</WithNull>
        </div>
        <IconButton label={`Remove ${label}`} onClick={onRemoveProperty}>
          <Trash2 size={14} />
        </IconButton>
      </div>
      <Faults id={errorId(id)} path={pointerOf(fieldPathId.path)} subject={label} messages={rawErrors} />
    </div>
  )
}

const ObjectFieldTemplate = (props: ObjectFieldTemplateProps) => {
  const { title, description, properties, schema, onAddProperty, fieldPathId, required, disabled } = props
  const canAdd = schema.additionalProperties !== undefined && schema.additionalProperties !== false
  // An item already shows its index, and an alternative its select.
  const isNamed = typeof fieldPathId.path.at(-1) === 'number' || NAMED_HERE in schema
  const isAround = use(IsAbsent)
  const isMember = typeof fieldPathId.path.at(-1) === 'string'
  const isNull = props.formData === null
  const mayBeAbsent = isAround || required !== true || (isNull && isNullable(schema))
  const isAbsent = isMember && mayBeAbsent && (isNull || props.formData === undefined)
  const others = Object.keys((props.formData as object | undefined) ?? {}).filter(
    (name) => !properties.some((one) => one.name === name),
  )
  return (
    <Group
      id={fieldPathId.$id}
      isRoot={fieldPathId.path.length === 0}
      title={isNamed ? '' : title}
      description={description}
      required={required === true}
    >
      <IsAbsent value={isAbsent}>
        {properties.map(({ content, name }) => (
          <div key={name}>{content}</div>
        ))}
      </IsAbsent>
      {others.length > 0 && (
        <p className="text-xs text-faint">Also holds {visible(others.slice(0, 10).join(', '))}: see the JSON.</p>
      )}
      {(canAdd || schema.patternProperties !== undefined) && (
        <AddButton onClick={() => onAddProperty()} disabled={disabled === true}>
          Add a member
        </AddButton>
      )}
    </Group>
  )
}

const AddButton = ({
  onClick,
  disabled,
  children,
}: {
  readonly onClick: () => void
  readonly disabled: boolean
  readonly children: ReactNode
}) => (
  <span>
    <Button kind="quiet" disabled={disabled} icon={<Plus size={14} />} onClick={onClick}>
      {children}
    </Button>
  </span>
)

const ArrayFieldTemplate = (props: ArrayFieldTemplateProps) => {
  const { title, schema, items, canAdd, onAddClick, fieldPathId, required, disabled } = props
  return (
    <Group
      id={fieldPathId.$id}
      isRoot={fieldPathId.path.length === 0}
      title={title}
      description={schema.description}
      required={required === true}
    >
      {items}
      {canAdd === true && (
        <AddButton onClick={() => onAddClick()} disabled={disabled === true}>
          Add to {title === '' ? 'the list' : visible(title)}
        </AddButton>
      )}
    </Group>
  )
}

const ArrayFieldItemTemplate = ({ children, buttonsProps, hasToolbar, index }: ArrayFieldItemTemplateProps) => (
  <div className="grid grid-cols-[1.5rem_minmax(0,1fr)_auto] items-start gap-2">
    <span aria-hidden="true" className="tabular pt-1 text-right text-xs text-faint">
      {index}
    </span>
    <div className="min-w-0">{children}</div>
    {hasToolbar && (
      <div className="flex">
        {(buttonsProps.hasMoveUp || buttonsProps.hasMoveDown) && (
          <>
            <IconButton
              label={`Move item ${index} up`}
              disabled={!buttonsProps.hasMoveUp}
              onClick={() => buttonsProps.onMoveUpItem()}
            >
              <ArrowUp size={14} />
            </IconButton>
            <IconButton
              label={`Move item ${index} down`}
              disabled={!buttonsProps.hasMoveDown}
              onClick={() => buttonsProps.onMoveDownItem()}
            >
              <ArrowDown size={14} />
            </IconButton>
          </>
        )}
        {buttonsProps.hasCopy && (
          <IconButton label={`Copy item ${index}`} onClick={() => buttonsProps.onCopyItem()}>
            <Copy size={14} />
          </IconButton>
        )}
        {buttonsProps.hasRemove && (
          <IconButton label={`Remove item ${index}`} onClick={() => buttonsProps.onRemoveItem()}>
            <Trash2 size={14} />
          </IconButton>
        )}
      </div>
    )}
  </div>
)

const MultiSchemaFieldTemplate = ({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) => (
  <div className="flex flex-col gap-2">
    {selector}
    {optionSchemaField}
  </div>
)

const CyclicSchemaExpandTemplate = ({ name, fieldPathId, onExpand }: CyclicSchemaExpandProps) => (
  <AddButton onClick={() => onExpand(fieldPathId.$id)} disabled={false}>
    Fill in {visible(name)}
  </AddButton>
)

const UnsupportedFieldTemplate = ({ fieldPathId }: UnsupportedFieldProps) => (
  <p className="rounded-md border border-dashed border-line px-2 py-1 text-xs text-soft">
    {visible(String(fieldPathId.path.at(-1) ?? 'This value'))} has no form field. Edit it as JSON.
  </p>
)

const FallbackFieldTemplate = ({ schemaField }: { readonly schemaField: ReactNode }) => schemaField

const PlainButton = ({ onClick, children, disabled }: FormButtonProps) => (
  <Button onClick={onClick} disabled={disabled === true}>
    {children ?? 'Clear'}
  </Button>
)

type Templates = Partial<Omit<TemplatesType, 'ButtonTemplates'>> & {
  readonly ButtonTemplates: Partial<TemplatesType['ButtonTemplates']>
}

export const formTemplates: Templates = {
  FieldTemplate,
  ObjectFieldTemplate,
  ArrayFieldTemplate,
  ArrayFieldItemTemplate,
  MultiSchemaFieldTemplate,
  CyclicSchemaExpandTemplate,
  UnsupportedFieldTemplate,
  FallbackFieldTemplate,
  ErrorListTemplate: Nothing,
  TitleFieldTemplate: Nothing,
  DescriptionFieldTemplate: Nothing,
  ButtonTemplates: { ClearButton: PlainButton, SubmitButton: Nothing },
}
