// Replaces the library's fields that treat values differently from this page.

import libraryFields from '@rjsf/core/lib/components/fields/index.js'
import { createSchemaUtils, type Field, type FieldProps, type Registry, type RegistryFieldsType } from '@rjsf/utils'
import { TAKES_ANYTHING } from './form-data.ts'
import { createFormValidator } from './form-validator.ts'
import { AnythingWidget, NumberWidget } from './form-widgets.tsx'

const { StringField, OneOfField, AnyOfField, ArrayField } = libraryFields() as Readonly<Record<string, Field>>

/** The library's own field would convert exact numbers to JavaScript numbers. */
const NumberField = (props: FieldProps) => {
  const isChoice = props.schema.enum !== undefined || props.schema.oneOf !== undefined
  const uiSchema = isChoice ? props.uiSchema : { ...props.uiSchema, 'ui:widget': NumberWidget }
  return StringField === undefined ? null : <StringField {...props} uiSchema={uiSchema} />
}

const TextField = (props: FieldProps) => {
  const takesAnything = TAKES_ANYTHING in props.schema
  const uiSchema = takesAnything ? { ...props.uiSchema, 'ui:widget': AnythingWidget } : props.uiSchema
  return StringField === undefined ? null : <StringField {...props} uiSchema={uiSchema} />
}

const utilities = new WeakMap<object, Registry['schemaUtils']>()

/**
 * Items and alternatives that the user adds start with the schema's defaults and tags; the rest of the form fills in
 * nothing.
 */
const withDefaults = (registry: Registry): Registry => {
  const known = utilities.get(registry.rootSchema)
  const schemaUtils =
    known ??
    createSchemaUtils(createFormValidator(), registry.rootSchema, {
      emptyObjectFields: 'skipEmptyDefaults',
      constAsDefaults: 'always',
      arrayMinItems: { populate: 'never' },
      requiredBooleanDefault: 'skip',
    })
  if (known === undefined) utilities.set(registry.rootSchema, schemaUtils)
  return { ...registry, schemaUtils }
}

const beginningWithDefaults = (Original: Field | undefined): Field =>
  function BeginsWithDefaults(props: FieldProps) {
    return Original === undefined ? null : <Original {...props} registry={withDefaults(props.registry)} />
  }

export const formFields: RegistryFieldsType = {
  NumberField,
  StringField: TextField,
  OneOfField: beginningWithDefaults(OneOfField),
  AnyOfField: beginningWithDefaults(AnyOfField),
  ArrayField: beginningWithDefaults(ArrayField),
}
