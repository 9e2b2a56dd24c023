// Checks a value against the JSON Schema that a Program declares, and locates the faults. The service checks again and
// decides: what cannot be checked here counts as valid.

import { type OutputUnit, type Schema, type SchemaDraft, Validator } from '@cfworker/json-schema'
import type { JsonSchema } from '#sdk/index.ts'
import { rounded } from '../../exact-json.ts'
import { pointerOf } from './json-pointer.ts'
import { isTooCostly, withoutSlowPatterns } from './schema-limits.ts'
import { typeWords } from './type-words.ts'

export type SchemaFault = {
  /** A JSON pointer. For a missing member, the place where it belongs. */
  readonly path: string
  /** Completes a sentence whose subject is the value: `must be a string`, `is missing`. */
  readonly message: string
}

export type SchemaCheck = (value: unknown) => readonly SchemaFault[]

const MOST_FAULTS = 50

/** No value is checked as null, as in the service. */
export const createSchemaCheck = (schema: JsonSchema): SchemaCheck => {
  // A copy, because the validator writes addresses into it that depend on the page's own.
  const own = withoutSlowPatterns<Schema | boolean>(structuredClone(schema))
  if (isTooCostly(own)) return () => []
  const validator = makeValidator(own)
  return (value) => {
    try {
      return faultsOf(validator?.validate(rounded(value ?? null)).errors ?? [])
    } catch {
      return [] // a reference that points nowhere, or is circular
    }
  }
}

const makeValidator = (schema: Schema | boolean): Validator | undefined => {
  try {
    return new Validator(schema, draftOf(schema), false)
  } catch {
    return undefined
  }
}

const draftOf = (schema: Schema | boolean): SchemaDraft => {
  const declared = typeof schema === 'boolean' ? '' : String(schema['$schema'] ?? '')
  if (declared.includes('draft-04')) return '4'
  if (/draft-0[67]/.test(declared)) return '7'
  return declared.includes('2019-09') ? '2019-09' : '2020-12'
}

/** These keywords only say that something inside is wrong, which has faults of its own. */
const CONTAINERS = new Set([
  '$ref',
  '$recursiveRef',
  'allOf',
  'if',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'dependentSchemas',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
])
/** Faults inside these keywords are about one alternative, or about a name. The fault of the whole says more. */
const WHOLES = new Set(['anyOf', 'oneOf', 'propertyNames', 'contains'])

const faultsOf = (units: readonly OutputUnit[]): readonly SchemaFault[] => {
  const faults = new Map<string, SchemaFault>()
  const add = (fault: SchemaFault) => faults.set(`${fault.path}\n${fault.message}`, fault)
  for (const unit of settleChoices(units)) {
    if (faults.size === MOST_FAULTS) break
    if (!CONTAINERS.has(unit.keyword)) add(faultOf(unit))
  }
  return [...faults.values()]
}

/** Replaces the faults of all branches of an anyOf or oneOf by those of the branch that was meant, if any. */
const settleChoices = (units: readonly OutputUnit[]): readonly OutputUnit[] => {
  const whole = units.find(({ keyword }) => WHOLES.has(keyword))
  if (whole === undefined) return units
  const inside = `${whole.keywordLocation}/`
  const branches = Map.groupBy(
    units.filter((unit) => unit.keywordLocation.startsWith(inside)),
    (unit) => unit.keywordLocation.slice(inside.length).split('/')[0]!,
  )
  const meant = [...branches.values()].filter((branch) => !branch.some((unit) => excludes(unit, whole)))
  const isChoice = whole.keyword === 'anyOf' || whole.keyword === 'oneOf'
  const settled =
    isChoice && meant.length === 1 ? settleChoices(meant[0]!) : [{ ...whole, keyword: `${whole.keyword} settled` }]
  return [
    ...settled,
    ...settleChoices(units.filter((unit) => unit !== whole && !unit.keywordLocation.startsWith(inside))),
  ]
}

/** A branch for another type, or with another tag, is not the one that was meant. */
const excludes = ({ keyword, instanceLocation }: OutputUnit, whole: OutputUnit): boolean => {
  if (!['type', 'const', 'enum', 'false'].includes(keyword)) return false
  if (instanceLocation === whole.instanceLocation) return true
  const below = instanceLocation.slice(whole.instanceLocation.length + 1)
  return keyword !== 'type' && keyword !== 'false' && !below.includes('/')
}

const faultOf = ({ keyword, instanceLocation, error }: OutputUnit): SchemaFault => {
  const path = decodeURI(instanceLocation.slice(1)).replaceAll('%23', '#')
  const missing = /required property "(.*)"\.$|does not have "(.*)"\.$/s.exec(error)
  if (missing !== null) {
    return { path: path + pointerOf([missing[1] ?? missing[2] ?? '']), message: 'is missing' }
  }
  return { path, message: messageOf(keyword, error) }
}

const messageOf = (keyword: string, told: string): string => {
  const error = keyword === 'exclusiveMinimum' ? told.replace('less than', 'less than or equal to') : told
  for (const [pattern, tell] of WORDS) {
    const found = pattern.exec(error)
    if (found !== null) return tell(found[1] ?? '', found[2] ?? '')
  }
  return `does not match the schema (${keyword.replace(' settled', '')})`
}

const LONGEST_LIST = 300
const shorten = (text: string): string => (text.length > LONGEST_LIST ? `${text.slice(0, LONGEST_LIST)} …` : text)

/** Translates the validator's messages into words. */
const WORDS: readonly (readonly [RegExp, (first: string, second: string) => string])[] = [
  [/^Instance type .*Expected "(.*)"\.$/, (types) => `must be ${typeWords(types.split('", "'))}`],
  [
    /^Instance does not match any of \[(.*)\]\.$/s,
    (values) => `must be one of ${shorten(values.replaceAll(',', ', '))}`,
  ],
  [/^Instance does not match any subschemas/, () => 'does not match any of the allowed schemas'],
  [/^Instance does not match exactly one subschema \(0/, () => 'does not match any of the allowed schemas'],
  [
    /^Instance does not match exactly one subschema \((\d+)/,
    (count) => `matches ${count} of the allowed schemas, but must match exactly one`,
  ],
  [/^Instance does not match (.*)\.$/s, (value) => `must be ${shorten(value)}`],
  [/^False boolean schema/, () => 'is not allowed here'],
  [/is less than or equal to +(\S+)\.$/, (bound) => `must be more than ${bound}`],
  [/is greater than or equal to +(\S+)\.$/, (bound) => `must be less than ${bound}`],
  [/is less than +(\S+)\.$/, (bound) => `must be at least ${bound}`],
  [/is greater than +(\S+)\.$/, (bound) => `must be at most ${bound}`],
  [/is not a multiple of (\S+)\.$/, (step) => `must be a multiple of ${step}`],
  [/^String is too short \(\d+ < (\d+)\)/, (bound) => `must have at least ${bound} characters`],
  [/^String is too long \(\d+ > (\d+)\)/, (bound) => `must have at most ${bound} characters`],
  [/^Array has too few items \(\d+ < (\d+)\)/, (bound) => `must have at least ${bound} items`],
  [/^Array has too many items \(\d+ > (\d+)\)/, (bound) => `must have at most ${bound} items`],
  [/^String does not match pattern/, () => 'does not match the pattern in the schema'],
  [/^String does not match format "(.*)"\.$/, (format) => `must be in the format ${format}`],
  [
    /^Duplicate items at indexes (\d+) and (\d+)/,
    (one, other) => `must have unique items: items ${one} and ${other} are equal`,
  ],
  [/^Property name "(.*)" does not match schema/s, (name) => `must not have the member ${JSON.stringify(name)}`],
  [/^Instance matched "not" schema/, () => 'matches a schema that is not allowed'],
  [/at least (\d+) properties/, (bound) => `must have at least ${bound} members`],
]
