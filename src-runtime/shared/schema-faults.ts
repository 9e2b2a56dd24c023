// Describes a validator's errors for the sender of the value.

import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { beginningOf } from './beginning-of.ts'
import { DAY_PATTERN, NUL_FREE_PATTERN, TIME_PATTERN } from './patterns.ts'

/** What our own patterns ask for, in words. */
const PATTERNS: ReadonlyMap<string, string> = new Map([
  [NUL_FREE_PATTERN, 'must not have U+0000 in it'],
  [DAY_PATTERN, 'must be a day such as 2026-01-31'],
  [TIME_PATTERN, 'must be an ISO 8601 time such as 2026-01-31T12:00:00.000Z'],
])

const SHOWN_FAULTS = 3
const SHOWN_CHARACTERS = 1_000
const SHOWN_VALUES = 20

/** The validator keeps 8 otherwise. Of a value with several forms, the closest one is found among the faults of all. */
Settings.Set({ maxErrors: 256 })

/** The first few faults, each beginning with the path to it: `body/name must be string`. */
export const describeFaults = (part: string, errors: readonly TLocalizedValidationError[]): string => {
  // That a member is not allowed is said once, by name.
  const named = ofClosestForms(
    errors.filter((error) => error.keyword !== 'boolean' && !isToldWithin(error, errors)),
    part,
  )
  const faults = (named.length === 0 ? errors : named)
    .slice(0, SHOWN_FAULTS)
    .map((error) => `${part}${error.instancePath} ${whatIsWrong(error)}`)
  return faults.length === 0 ? `${part} is not allowed` : beginningOf(faults.join('; '), SHOWN_CHARACTERS)
}

type Fault = TLocalizedValidationError

/** Additional members that are allowed have faults of their own. */
const isToldWithin = ({ keyword, schemaPath }: Fault, errors: readonly Fault[]): boolean =>
  keyword === 'additionalProperties' &&
  !errors.some((error) => error.keyword === 'boolean' && error.schemaPath === `${schemaPath}/additionalProperties`)

/** Where a value has none of several forms: the faults of the closest ones, and not that it has no form as a whole. */
const ofClosestForms = (errors: readonly Fault[], part: string): readonly Fault[] =>
  errors
    .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
    .reduce((left: readonly Fault[], union) => keepClosestForms(left, union, part), errors)

const keepClosestForms = (errors: readonly Fault[], union: Fault, part: string): readonly Fault[] => {
  const start = `${union.schemaPath}/${union.keyword}/`
  const within = errors.filter(
    ({ schemaPath, instancePath }) =>
      schemaPath.startsWith(start) && `${instancePath}/`.startsWith(`${union.instancePath}/`),
  )
  if (within.length === 0 || !errors.includes(union)) return errors
  const forms = new Map<number, Fault[]>()
  for (const fault of within) {
    const index = Number.parseInt(fault.schemaPath.slice(start.length), 10)
    forms.set(index, [...(forms.get(index) ?? []), fault])
  }
  const distances = [...forms.values()].map((faults) => ({ faults, distance: distanceOf(faults, union) }))
  const least = Math.min(...distances.map(({ distance }) => distance))
  const nearest = distances.flatMap(({ faults, distance }) => (distance === least ? [faults] : []))
  const closest = asOne(nearest, least, part)
  const at = errors.indexOf(union)
  const isOutside = (error: Fault): boolean => error !== union && !within.includes(error)
  return [...errors.slice(0, at).filter(isOutside), ...closest, ...errors.slice(at).filter(isOutside)]
}

const OTHER_VALUE = 1
const OTHER_TYPE = 2
const OF_OTHER_TYPE: readonly string[] = ['type', 'enum', 'const']

/** A form that requires another constant within the value is not meant, and less so one of another type. */
const distanceOf = (faults: readonly Fault[], { instancePath }: Fault): number => {
  const isElsewhere = faults.some(
    (fault) => fault.instancePath === instancePath && OF_OTHER_TYPE.includes(fault.keyword),
  )
  if (isElsewhere) return OTHER_TYPE
  return faults.some(({ keyword }) => keyword === 'const') ? OTHER_VALUE : 0
}

/** The faults of the closest form; of several that are as close, one sentence. */
const asOne = (forms: readonly (readonly Fault[])[], distance: number, part: string): readonly Fault[] => {
  const kinds = distance === OTHER_TYPE ? OF_OTHER_TYPE : distance === OTHER_VALUE ? ['const'] : undefined
  if (kinds === undefined) return eitherOf(forms, part)
  const choices = forms.map((faults) => faults.filter(({ keyword }) => kinds.includes(keyword)))
  const [first, ...others] = choices.flat()
  if (first === undefined || others.some(({ instancePath }) => instancePath !== first.instancePath)) {
    return eitherOf(choices, part)
  }
  return [together([first, ...others])]
}

/** What one form asks for, or what another one does. */
const eitherOf = (forms: readonly (readonly Fault[])[], part: string): readonly Fault[] => {
  const faults = forms.flat()
  const [first] = faults
  if (forms.length < 2 || first === undefined) return faults
  const isOnePlace = faults.every(({ instancePath }) => instancePath === first.instancePath)
  const tell = (fault: Fault): string =>
    isOnePlace || fault === first ? whatIsWrong(fault) : `${part}${fault.instancePath} ${whatIsWrong(fault)}`
  const told = forms.map((form) => form.slice(0, SHOWN_FAULTS).map(tell).join(' and '))
  const message = [...new Set(told)].slice(0, SHOWN_FAULTS).join(', or ')
  const { schemaPath, instancePath } = first
  return [{ keyword: 'anyOf', schemaPath, instancePath, params: {}, message }]
}

/** One sentence for what several forms allow at one place. */
const together = (choices: readonly [Fault, ...Fault[]]): Fault => {
  const [{ schemaPath, instancePath }] = choices
  // The type of a constant says less than the constant.
  const ofValues = new Set(choices.flatMap((choice) => (choice.keyword === 'type' ? [] : [choice.schemaPath])))
  const told = choices.filter((choice) => choice.keyword !== 'type' || !ofValues.has(choice.schemaPath))
  const type = [...new Set(told.flatMap(allowedBy))].slice(0, SHOWN_VALUES)
  const message = `must be ${[type.slice(0, -1).join(', '), ...type.slice(-1)].filter((text) => text !== '').join(' or ')}`
  return { keyword: 'type', schemaPath, instancePath, params: { type }, message }
}

const allowedBy = (fault: Fault): readonly string[] => {
  switch (fault.keyword) {
    case 'type':
      return [fault.params.type].flat()
    case 'const':
      return [JSON.stringify(fault.params.allowedValue)]
    case 'enum':
      return fault.params.allowedValues.map((value) => JSON.stringify(value))
    default:
      return []
  }
}

const whatIsWrong = (error: TLocalizedValidationError): string => {
  switch (error.keyword) {
    case 'required':
      return `must have ${error.params.requiredProperties.map((name) => JSON.stringify(name)).join(', ')}`
    case 'enum':
      return `must be one of ${error.params.allowedValues
        .slice(0, SHOWN_VALUES)
        .map((value) => JSON.stringify(value))
        .join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`
    case 'additionalProperties':
      return `must not have ${error.params.additionalProperties.map((name) => JSON.stringify(name)).join(', ')}`
    case 'boolean':
      return 'is not allowed'
    case 'contains': {
      const { minContains, maxContains } = error.params
      const count = maxContains ?? minContains
      const items = `${count} item${count === 1 ? '' : 's'} of the kind asked for`
      return maxContains === undefined ? `must contain at least ${items}` : `must not contain more than ${items}`
    }
    case 'minLength':
    case 'minItems':
      return error.params.limit === 1 ? 'must not be empty' : error.message
    case 'pattern':
      return PATTERNS.get(String(error.params.pattern)) ?? error.message
    default:
      return error.message
  }
}
