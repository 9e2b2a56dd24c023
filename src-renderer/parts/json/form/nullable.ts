// Schemas that also accept null. Libraries write them as `type: ['string', 'null']` or as
// `anyOf: [{ type: 'string' }, { type: 'null' }]`. Pure.

type Schema = Readonly<Record<string, unknown>>

const isSchema = (node: unknown): node is Schema => typeof node === 'object' && node !== null && !Array.isArray(node)

/** Whether a schema accepts null and nothing else. */
export const isNullSchema = (schema: unknown): boolean =>
  isSchema(schema) && (schema['type'] === 'null' || ('const' in schema && schema['const'] === null))

/** The types of a schema other than null. */
export const typesOf = ({ type }: Schema): readonly unknown[] => [type].flat().filter((one) => one !== 'null')

/** Whether a value of one type may also be null. */
export const isNullable = (schema: Schema): boolean =>
  Array.isArray(schema['type']) && schema['type'].includes('null') && typesOf(schema).length === 1

const ANNOTATIONS = ['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']
const AT_ROOT = ['$schema', '$id', '$defs', 'definitions']

/** For a value of one type or null that is written as two alternatives, the same as one schema. */
export const withoutNullAlternative = (schema: Schema): Schema | undefined => {
  const { anyOf, oneOf, ...rest } = schema
  const options: unknown = anyOf ?? oneOf
  if (!Array.isArray(options) || options.length !== 2 || (anyOf !== undefined && oneOf !== undefined)) return undefined
  if (!Object.keys(rest).every((keyword) => ANNOTATIONS.includes(keyword) || AT_ROOT.includes(keyword)))
    return undefined
  const [value, ...others] = (options as readonly unknown[]).filter((option) => !isNullSchema(option))
  if (!isSchema(value) || others.length > 0 || typeof value['type'] !== 'string') return undefined
  return { ...withNull(value), ...rest }
}

const withNull = ({ const: constant, ...schema }: Schema): Schema => {
  const choices = constant === undefined ? schema['enum'] : [constant]
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(choices) && { enum: [...(choices as readonly unknown[]), null] }),
  }
}
