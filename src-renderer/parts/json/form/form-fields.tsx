// Replaces the library's fields that treat values differently from this page.

import libraryFields from '@rjsf/core/lib/components/fields/index.js'
import {
  ADDITIONAL_PROPERTY_FLAG,
  createSchemaUtils,
  type FieldProps,
  type Registry,
  type RegistryFieldsType,
  type RJSFSchema,
} from '@rjsf/utils'
import { type ComponentType, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { ownMember } from '../../../own-member.ts'
import { TAKES_ANYTHING } from './form-data.ts'
import { createFormValidator } from './form-validator.ts'
import { AnythingWidget, NumberWidget } from './form-widgets.tsx'
import { isNullSchema } from './nullable.ts'

type Field = ComponentType<FieldProps>

const { StringField, OneOfField, AnyOfField, ArrayField, ObjectField } = libraryFields() as Readonly<
  Record<'StringField' | 'OneOfField' | 'AnyOfField' | 'ArrayField' | 'ObjectField', Field>
>

/** The library's own field would convert exact numbers to JavaScript numbers. */
const NumberField = (props: FieldProps) => {
  const isChoice = props.schema.enum !== undefined || props.schema.oneOf !== undefined
  const uiSchema = isChoice ? props.uiSchema : { ...props.uiSchema, 'ui:widget': NumberWidget }
  return <StringField {...props} uiSchema={uiSchema} />
}

const TextField = (props: FieldProps) => {
  const takesAnything = TAKES_ANYTHING in props.schema
  const uiSchema = takesAnything ? { ...props.uiSchema, 'ui:widget': AnythingWidget } : props.uiSchema
  return <StringField {...props} uiSchema={uiSchema} />
}

type Utilities = Registry['schemaUtils']

const utilities = new WeakMap<object, Utilities>()

/** The library's utilities, some of them replaced. */
const replacing = (schemaUtils: Utilities, replaced: Partial<Utilities>): Utilities =>
  Object.assign(Object.create(schemaUtils) as Utilities, replaced)

/**
 * Items and alternatives that the user adds start with the schema's defaults and tags; the rest of the form fills in
 * nothing.
 */
const withDefaults = (registry: Registry): Registry => {
  const known = utilities.get(registry.rootSchema)
  if (known !== undefined) return { ...registry, schemaUtils: known }
  const library = createSchemaUtils(createFormValidator(), registry.rootSchema, {
    emptyObjectFields: 'skipEmptyDefaults',
    constAsDefaults: 'always',
    arrayMinItems: { populate: 'never' },
    requiredBooleanDefault: 'skip',
  })
  // The library would set nothing when the user chooses null.
  const schemaUtils = replacing(library, {
    getDefaultFormState: (schema, ...rest) =>
      isNullSchema(schema) ? null : library.getDefaultFormState(schema, ...rest),
  })
  utilities.set(registry.rootSchema, schemaUtils)
  return { ...registry, schemaUtils }
}

const beginningWithDefaults = (Original: Field): Field =>
  function BeginsWithDefaults(props: FieldProps) {
    const registry = useMemo(() => withDefaults(props.registry), [props.registry])
    return <Original {...props} registry={registry} />
  }

const hasConstant = (member: unknown): member is { readonly const: unknown } =>
  typeof member === 'object' && member !== null && 'const' in member

/** What tells an alternative from others, such as its `kind`. */
const tagsOf = (option: RJSFSchema): readonly (readonly [string, unknown])[] =>
  Object.entries(option.properties ?? {}).flatMap(([name, member]) =>
    hasConstant(member) ? [[name, member.const] as const] : [],
  )

/** The first alternative is shown as chosen, so what the user enters into its fields sets its tags too. */
const settingTags = (Original: Field): Field =>
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

const NONE = -1

/** Without a value, the library shows null as if it were the value, where null is an alternative. */
const beginningUnset = (Original: Field): Field =>
  function BeginsUnset(props: FieldProps) {
    const { registry, schema } = props
    const isShown = useRef(false)
    useEffect(() => {
      isShown.current = true
    }, [])
    const own = useMemo((): Registry => {
      if (!(schema.oneOf ?? schema.anyOf ?? []).some(isNullSchema)) return registry
      const { schemaUtils } = registry
      return {
        ...registry,
        schemaUtils: replacing(schemaUtils, {
          getClosestMatchingOption: (data, options, chosen = 0, ...rest) => {
            // What the user has chosen stays so while its field is empty.
            if (data === undefined) return isShown.current ? chosen : NONE
            return schemaUtils.getClosestMatchingOption(data, options, Math.max(chosen, 0), ...rest)
          },
        }),
      }
    }, [registry, schema])
    return <Original {...props} registry={own} />
  }

/** Of an object or a list, as its members and items have it. */
const pathOf = ({ childFieldPathId, fieldPathId }: FieldProps): FieldProps['fieldPathId']['path'] =>
  ((childFieldPathId as FieldProps['fieldPathId'] | undefined) ?? fieldPathId).path

/**
 * An optional object goes when the user removes its last member: empty, it would lack its required members, and the form
 * has nothing else that removes it.
 */
const RemovesEmptied = (props: FieldProps) => {
  const { required, schema, onChange } = props
  const formData: unknown = props.formData
  // The library keeps fields whose own value is the same, and with them a `change` of before.
  const latest = useRef(formData)
  useLayoutEffect(() => {
    latest.current = formData
  }, [formData])
  const own = pathOf(props)
  const goes = required !== true && typeof own.at(-1) === 'string' && !(ADDITIONAL_PROPERTY_FLAG in schema)
  const change: FieldProps['onChange'] = (value: unknown, path, errors, id) => {
    const [member, ...deeper] = path.slice(own.length)
    const others = Object.entries(latest.current ?? {}).filter(
      ([name, other]) => name !== member && other !== undefined,
    )
    const isEmptied = value === undefined && member !== undefined && deeper.length === 0 && others.length === 0
    if (goes && isEmptied) onChange(undefined, own, undefined, id)
    else onChange(value, path, errors, id)
  }
  return <ObjectField {...props} onChange={change} />
}

/** Whether its values are texts that the user types. An empty one is a value too. */
const isTyped = (schema: RJSFSchema): boolean =>
  schema.type === 'string' && schema.enum === undefined && !(TAKES_ANYTHING in schema)

const withText = (item: unknown): unknown => (item === undefined ? '' : item)

/** The library makes null of an item of a list that is added without a default, or whose field is emptied. */
const beginningEmpty = (Original: Field): Field =>
  function BeginsEmpty(props: FieldProps) {
    const { schema, registry, onChange } = props
    const { items } = schema
    const own = pathOf(props)
    const isOfTexts =
      typeof items === 'object' && !Array.isArray(items) && isTyped(registry.schemaUtils.retrieveSchema(items))
    const change: FieldProps['onChange'] = (value: unknown, path, errors, id) => {
      const isItem = path.length > own.length
      if (isItem) onChange(value ?? '', path, errors, id)
      else onChange(Array.isArray(value) ? value.map(withText) : value, path, errors, id)
    }
    return <Original {...props} onChange={isOfTexts ? change : onChange} />
  }

const unionField = (Original: Field): Field => settingTags(beginningWithDefaults(beginningUnset(Original)))

export const formFields: RegistryFieldsType = {
  NumberField,
  StringField: TextField,
  OneOfField: unionField(OneOfField),
  AnyOfField: unionField(AnyOfField),
  ArrayField: beginningEmpty(beginningWithDefaults(ArrayField)),
  ObjectField: RemovesEmptied,
}
