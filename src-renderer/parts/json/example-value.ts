// Makes a value that a schema most likely accepts, for examples that a user can run unchanged.

import { ownMember } from '../../own-member.ts'

type JsonSchema = Readonly<Record<string, unknown>> | boolean

const DEEPEST = 6

const STRINGS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '12:00:00Z',
  email: 'ada@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  uri: 'https://example.com',
  url: 'https://example.com',
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value))

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const textOf = ({ format, minLength, maxLength }: Readonly<Record<string, unknown>>): string => {
  const text = ownMember(STRINGS, String(format)) ?? 'example'
  const longest = typeof maxLength === 'number' ? text.slice(0, maxLength) : text
  return typeof minLength === 'number' ? longest.padEnd(minLength, 'x') : longest
}

const numberOf = ({ minimum, exclusiveMinimum, maximum, multipleOf }: Readonly<Record<string, unknown>>): number => {
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : 1
  const least =
    typeof exclusiveMinimum === 'number' ? exclusiveMinimum + step : typeof minimum === 'number' ? minimum : step
  // Schema libraries give every integer the least one that JavaScript counts exactly.
  const number = Math.ceil((least < 0 ? step : least) / step) * step
  return typeof maximum === 'number' ? Math.min(number, maximum) : number
}

const membersOf = (schema: Readonly<Record<string, unknown>>, depth: number): Readonly<Record<string, unknown>> => {
  const { properties, required } = schema
  if (!isSchema(properties) || typeof properties === 'boolean') return {}
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => listOf(required).includes(name))
      .map(([name, member]) => [name, isSchema(member) ? exampleValue(member, depth + 1) : null]),
  )
}

/** Only required members; undefined when the schema does not say enough. */
export const exampleValue = (schema: JsonSchema | undefined, depth = 0): unknown => {
  if (schema === undefined || typeof schema === 'boolean' || depth > DEEPEST) return undefined
  if ('default' in schema) return schema['default']
  if ('const' in schema) return schema['const']
  const [given] = [...listOf(schema['examples']), ...listOf(schema['enum'])]
  if (given !== undefined) return given
  const [choice] = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
  if (isSchema(choice)) return exampleValue(choice, depth + 1)
  const type = listOf(schema['type'])[0] ?? schema['type']
  switch (type) {
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array': {
      const { items, minItems } = schema
      return Array.from({ length: typeof minItems === 'number' ? minItems : 0 }, () =>
        isSchema(items) ? exampleValue(items, depth + 1) : null,
      )
    }
    case 'object':
      return membersOf(schema, depth)
    default:
      return isSchema(schema['properties']) ? membersOf(schema, depth) : undefined
  }
}
