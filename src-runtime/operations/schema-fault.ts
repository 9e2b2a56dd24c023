// Checks whether an artifact's JSON Schema can be used. Validators skip keywords with a value of the wrong type, or
// fail on the first value. Refusing at deploy names the place instead.
import { beginningOf } from '../shared/beginning-of.ts'

type Fault = string | undefined
type Check = (value: unknown, at: string, visit: (schema: unknown, at: string) => Fault) => Fault
type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const must =
  (what: string, holds: (value: unknown) => boolean): Check =>
  (value, at) =>
    holds(value) ? undefined : `${at} must be ${what}`

const isStrings = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string')
const firstFault = <Item>(items: Iterable<Item>, faultOf: (item: Item) => Fault): Fault => {
  for (const item of items) {
    const fault = faultOf(item)
    if (fault !== undefined) return fault
  }
  return undefined
}

const text = must('a string', (value) => typeof value === 'string')
const flag = must('a boolean', (value) => typeof value === 'boolean')
const number = must('a number', (value) => typeof value === 'number')
/** In draft 4, `exclusiveMinimum` and its like are booleans. */
const numberOrFlag = must('a number', (value) => typeof value === 'number' || typeof value === 'boolean')
const count = must('an integer, 0 or more', (value) => Number.isInteger(value) && (value as number) >= 0)
const strings = must('an array of strings', isStrings)
const schema: Check = (value, at, visit) => visit(value, at)

const schemas: Check = (value, at, visit) =>
  Array.isArray(value) && value.length > 0
    ? firstFault(value.entries(), ([index, item]) => visit(item, `${at}/${index}`))
    : `${at} must be an array of schemas that is not empty`

const schemaMap: Check = (value, at, visit) =>
  isMembers(value)
    ? firstFault(Object.keys(value), (name) => visit(value[name], `${at}/${name}`))
    : `${at} must be an object of schemas`

const pattern: Check = (value, at) => {
  if (typeof value !== 'string') return `${at} must be a string`
  try {
    new RegExp(value, 'u')
    return undefined
  } catch {
    return `${at} must be a regular expression (ECMA-262, with Unicode)`
  }
}

const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']

const KEYWORDS: Readonly<Record<string, Check>> = {
  $id: text,
  $ref: text,
  $dynamicRef: text,
  $anchor: text,
  $dynamicAnchor: text,
  $defs: schemaMap,
  definitions: schemaMap,
  type: must(`one of ${TYPES.join(', ')}, or an array of these`, (value) =>
    Array.isArray(value)
      ? value.length > 0 && value.every((item: unknown) => TYPES.includes(item as string))
      : TYPES.includes(value as string),
  ),
  enum: must('an array', Array.isArray),
  multipleOf: must('a number above 0', (value) => typeof value === 'number' && value > 0),
  maximum: number,
  minimum: number,
  exclusiveMaximum: numberOrFlag,
  exclusiveMinimum: numberOrFlag,
  maxLength: count,
  minLength: count,
  pattern,
  format: text,
  maxItems: count,
  minItems: count,
  uniqueItems: flag,
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  required: strings,
  dependentRequired: must(
    'an object of arrays of strings',
    (value) => isMembers(value) && Object.values(value).every(isStrings),
  ),
  dependencies: (value, at, visit) =>
    isMembers(value)
      ? firstFault(Object.keys(value), (name) =>
          isStrings(value[name]) ? undefined : visit(value[name], `${at}/${name}`),
        )
      : `${at} must be an object`,
  allOf: schemas,
  anyOf: schemas,
  oneOf: schemas,
  prefixItems: schemas,
  items: (value, at, visit) => (Array.isArray(value) ? schemas(value, at, visit) : visit(value, at)),
  additionalItems: schema,
  unevaluatedItems: schema,
  contains: schema,
  properties: schemaMap,
  patternProperties: (value, at, visit) =>
    schemaMap(value, at, visit) ??
    firstFault(Object.keys(value as Members), (name) => pattern(name, `${at}/${name}`, visit)),
  additionalProperties: schema,
  unevaluatedProperties: schema,
  propertyNames: schema,
  dependentSchemas: schemaMap,
  not: schema,
  if: schema,
  then: schema,
  else: schema,
}

/** The first fault of a schema, beginning with the path to it; undefined: it has none. */
export const schemaFault = (root: unknown, name: string): Fault => {
  const references: { readonly target: string; readonly at: string }[] = []
  const anchors = new Set<string>(['#', ''])

  const note = (node: Members, at: string) => {
    for (const keyword of ['$ref', '$dynamicRef']) {
      if (typeof node[keyword] === 'string') references.push({ target: node[keyword], at: `${at}/${keyword}` })
    }
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      if (typeof node[keyword] === 'string') anchors.add(`#${node[keyword]}`)
    }
    if (typeof node['$id'] === 'string') anchors.add(node['$id'])
  }

  const visit = (node: unknown, at: string): Fault => {
    if (typeof node === 'boolean') return undefined
    if (!isMembers(node)) return `${at} must be a schema: an object or a boolean`
    note(node, at)
    return firstFault(Object.keys(node), (keyword) =>
      Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword]!(node[keyword], `${at}/${keyword}`, visit) : undefined,
    )
  }

  return (
    visit(root, name) ??
    firstFault(references, ({ target, at }) =>
      anchors.has(target) || pointsInto(root, target)
        ? undefined
        : `${at} must point into the same schema, and ${JSON.stringify(beginningOf(target, 200))} does not`,
    )
  )
}

const pointsInto = (root: unknown, target: string): boolean => {
  if (!target.startsWith('#/')) return false
  let node: unknown = root
  try {
    for (const part of decodeURIComponent(target.slice(2)).split('/')) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return false
      node = (node as Members)[name]
    }
  } catch {
    return false
  }
  return typeof node === 'boolean' || isMembers(node)
}
