// A form made from a JSON Schema. Its library is loaded with this chunk.

import Form from '@rjsf/core/lib/components/Form.js'
import { useId, useMemo, useState } from 'react'
import type { JsonSchema } from '#sdk/index.ts'
import { stringifyExactJson } from '../../../exact-json.ts'
import type { SchemaFault } from '../schema-check.ts'
import { errorTreeOf, formSchema, fromFormData, toFormData } from './form-data.ts'
import { formFields } from './form-fields.tsx'
import { formTemplates } from './form-templates.tsx'
import { createFormValidator } from './form-validator.ts'
import { formWidgets } from './form-widgets.tsx'

export type SchemaFormProps = {
  readonly schema: JsonSchema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly faults: readonly SchemaFault[]
}

/** Fills in no defaults: the value contains only what the user entered. */
const NO_DEFAULTS = {
  emptyObjectFields: 'skipDefaults',
  allOf: 'skipDefaults',
  arrayMinItems: { populate: 'never' },
  constAsDefaults: 'never',
  requiredBooleanDefault: 'skip',
} as const

/**
 * The library keeps what it shows when it is given undefined. So a value that is removed elsewhere, and not by the user
 * in the form, makes a new form.
 */
type FormState = {
  readonly number: number
  readonly isEmpty: boolean
  /** The value that the user removed in the form. It is still passed in until the parent has rendered. */
  readonly before?: unknown
}

export const SchemaForm = ({ schema, value, onChange, faults }: SchemaFormProps) => {
  const id = useId()
  const [validator] = useState(createFormValidator)
  const own = useMemo(() => formSchema(schema), [schema])
  const data = useMemo(() => toFormData(value), [value])
  const errors = useMemo(() => errorTreeOf(faults), [faults])
  const [form, setForm] = useState<FormState>({ number: 0, isEmpty: value === undefined })
  if (value === undefined && !form.isEmpty) setForm({ number: form.number + 1, isEmpty: true })
  if (value !== undefined && form.isEmpty && value !== form.before) setForm({ number: form.number, isEmpty: false })
  return (
    <Form
      key={form.number}
      tagName="div"
      idPrefix={id}
      schema={own}
      formData={data}
      fields={formFields}
      widgets={formWidgets}
      templates={formTemplates}
      validator={validator}
      extraErrors={errors}
      showErrorList={false}
      experimental_defaultFormStateBehavior={NO_DEFAULTS}
      onChange={({ formData }) => {
        const next = fromFormData(formData)
        if (next === undefined) setForm({ number: form.number, isEmpty: true, before: value })
        if (stringifyExactJson(next) !== stringifyExactJson(value ?? {})) onChange(next)
      }}
    >
      {/* No submit button: the dialog has one. */}
      <></>
    </Form>
  )
}
