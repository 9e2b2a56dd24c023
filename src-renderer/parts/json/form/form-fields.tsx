// Replaces the library's fields that treat values differently from this page.

import libraryFields from '@rjsf/core/lib/components/fields/index.js'
import {
  createSchemaUtils,
  type Field,
  type FieldProps,
  type Registry,
  type RegistryFieldsType,
  type RJSFSchema,
} from '@rjsf/utils'
import type { ComponentType } from 'react'
import { ownMember } from '../../../own-member.ts'
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

const hasConstant = (member: unknown): member is { readonly const: unknown } =>
  typeof member === 'object' && member !== null && 'const' in member

/** What tells an alternative from others, such as its `kind`. */
const tagsOf = (option: RJSFSchema): readonly (readonly [string, unknown])[] =>
  Object.entries(option.properties ?? {}).flatMap(([name, member]) =>
    hasConstant(member) ? [[name, member.const] as const] : [],
  )

/** The first alternative is shown as chosen, so what the user enters into its fields sets its tags too. */
const settingTags = (Original: ComponentType<FieldProps>) =>
  function SetsTags(props: FieldProps) {
    const { schema, fieldPathId, registry } = props
    const onChange: FieldProps['onChange'] = (value: unknown, path, errors, id) => {
      const [member, ...deeper] = path.slice(fieldPathId.path.length)
      if (typeof member === 'string' && value !== undefined) {
        const { schemaUtils } = registry
        const before = (props.formData ?? {}) as Readonly<Record<string, unknown>>
        const next = { ...before, [member]: deeper.length === 0 ? value : (before[member] ?? {}) }
        const options = ((schema.oneOf ?? schema.anyOf ?? []) as RJSFSchema[]).map((one) =>
          schemaUtils.retrieveSchema(one),
        )
        const option = options[schemaUtils.getClosestMatchingOption(next, options, 0)]
        for (const [name, tag] of option === undefined ? [] : tagsOf(option)) {
          if (ownMember<unknown>(next, name) === undefined) props.onChange(tag, [...fieldPathId.path, name])
        }
      }
      props.onChange(value, path, errors, id)
    }
    return <Original {...props} onChange={onChange} />
  }

export const formFields: RegistryFieldsType = {
  NumberField,
  StringField: TextField,
  OneOfField: settingTags(beginningWithDefaults(OneOfField)),
  AnyOfField: settingTags(beginningWithDefaults(AnyOfField)),
  ArrayField: beginningWithDefaults(ArrayField),
}
