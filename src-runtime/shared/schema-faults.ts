// Describes a validator's errors for the sender of the value.

import type { TLocalizedValidationError } from 'typebox/error'
import { Settings } from 'typebox/system'
import { DAY_PATTERN, NUL_FREE_PATTERN } from './patterns.ts'

/** What our own patterns ask for, in words. */
const PATTERNS: ReadonlyMap<string, string> = new Map([
  [NUL_FREE_PATTERN, 'must not have U+0000 in it'],
  [DAY_PATTERN, 'must be a day such as 2026-01-31'],
])

const SHOWN_FAULTS = 3
const SHOWN_CHARACTERS = 1_000
const SHOWN_VALUES = 20

/** The validator keeps 8 otherwise. Of a value with several forms, the closest one is found among the faults of all. */
Settings.Set({ maxErrors: 256 })

/** The first few faults, each beginning with the path to it: `body/name must be string`. */
export const describeFaults = (part: string, errors: readonly TLocalizedValidationError[]): string => {
  // That a member is not allowed is said once, by name.
  const named = ofClosestForms(errors.filter((error) => error.keyword !== 'boolean' && !isToldWithin(error, errors)))
  const faults = (named.length === 0 ? errors : named)
    .slice(0, SHOWN_FAULTS)
    .map((error) => `${part}${error.instancePath} ${whatIsWrong(error)}`)
  return faults.length === 0 ? `${part} is not allowed` : faults.join('; ').slice(0, SHOWN_CHARACTERS)
}

type Fault = TLocalizedValidationError

/** Additional members that are allowed have faults of their own. */
const isToldWithin = ({ keyword, schemaPath }: Fault, errors: readonly Fault[]): boolean =>
  keyword === 'additionalProperties' &&
  !errors.some((error) => error.keyword === 'boolean' && error.schemaPath === `${schemaPath}/additionalProperties`)

/** Where a value has none of several forms: the faults of the closest ones, and not that it has no form as a whole. */
const ofClosestForms = (errors: readonly Fault[]): readonly Fault[] =>
  errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf').reduce(keepClosestForms, errors)

const keepClosestForms = (errors: readonly Fault[], union: Fault): readonly Fault[] => {
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
  const closest = eitherOf(nearest) ?? together(nearest.flat(), least)
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

/** One sentence where each of several forms lacks one member only. */
const eitherOf = (forms: readonly (readonly Fault[])[]): readonly Fault[] | undefined => {
  const [first, ...others] = forms.map(([fault, more]) => (more === undefined ? fault : undefined))
  const isSame = (fault: Fault | undefined): boolean =>
    fault?.keyword === 'required' && fault.instancePath === first?.instancePath
  if (first === undefined || others.length === 0 || ![first, ...others].every(isSame)) return undefined
  const { schemaPath, instancePath } = first
  const message = forms.map(([fault]) => whatIsWrong(fault ?? first)).join(', or ')
  return [{ keyword: 'anyOf', schemaPath, instancePath, params: {}, message }]
}

/** One sentence for what several forms allow at one place. */
const together = (faults: readonly Fault[], distance: number): readonly Fault[] => {
  const kinds = distance === OTHER_TYPE ? OF_OTHER_TYPE : distance === OTHER_VALUE ? ['const'] : []
  const choices = faults.filter(({ keyword }) => kinds.includes(keyword))
  const [first] = choices
  if (first === undefined) return faults
  const { schemaPath, instancePath } = first
  if (choices.some((choice) => choice.instancePath !== instancePath)) return choices
  // The type of a constant says less than the constant.
  const ofValues = new Set(choices.flatMap((choice) => (choice.keyword === 'type' ? [] : [choice.schemaPath])))
  const told = choices.filter((choice) => choice.keyword !== 'type' || !ofValues.has(choice.schemaPath))
  const type = [...new Set(told.flatMap(allowedBy))].slice(0, SHOWN_VALUES)
  const message = `must be ${[type.slice(0, -1).join(', '), ...type.slice(-1)].filter((text) => text !== '').join(' or ')}`
  return [{ keyword: 'type', schemaPath, instancePath, params: { type }, message }]
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
    case 'minLength':
    case 'minItems':
      return error.params.limit === 1 ? 'must not be empty' : error.message
    case 'pattern':
      return PATTERNS.get(String(error.params.pattern)) ?? error.message
    default:
      return error.message
  }
}
