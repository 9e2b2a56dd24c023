// Describes a validator's errors for the sender of the value.

import type { TLocalizedValidationError } from 'typebox/error'
import { DAY_PATTERN, NUL_FREE_PATTERN } from './limits.ts'

/** What our own patterns ask for, in words. */
const PATTERNS: Readonly<Record<string, string>> = {
  [NUL_FREE_PATTERN]: 'must not have U+0000 in it',
  [DAY_PATTERN]: 'must be a day such as 2026-01-31',
}

const SHOWN_FAULTS = 3
const SHOWN_CHARACTERS = 1_000
const SHOWN_VALUES = 20

type Fault = TLocalizedValidationError

/** The first few faults, each beginning with the path to it: `body/name must be string`. */
export const describeFaults = (part: string, errors: readonly Fault[]): string => {
  // That a member is not allowed is said once, by name.
  const named = errors.filter(({ keyword }) => keyword !== 'boolean')
  const faults = tellFaults(named.length === 0 ? errors : named).slice(0, SHOWN_FAULTS)
  if (faults.length === 0) return `${part} is not allowed`
  return faults
    .map((fault) => part + fault)
    .join('; ')
    .slice(0, SHOWN_CHARACTERS)
}

/** Of a value that may have one of several forms, the faults within it; else what it must be, as one fault. */
const tellFaults = (errors: readonly Fault[]): readonly string[] => {
  const forms = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  return errors.flatMap((error) => {
    const around = forms.filter((form) => form.instancePath === error.instancePath && isWithin(form, error))
    if (around.length > 0) return []
    if (!forms.includes(error)) return [`${error.instancePath} ${whatIsWrong(error)}`]
    const within = errors.filter((other) => isWithin(error, other))
    const ofValue = within.filter(({ instancePath }) => instancePath === error.instancePath)
    if (ofValue.length < within.length) return []
    return [`${error.instancePath} ${whatMustBe(ofValue.filter((other) => !forms.includes(other))) ?? error.message}`]
  })
}

const isWithin = (form: Fault, { schemaPath }: Fault): boolean =>
  schemaPath.startsWith(`${form.schemaPath}/${form.keyword}/`)

/** A value of another type has these faults too. */
const OF_ANY_TYPE: ReadonlySet<string> = new Set(['type', 'enum', 'const'])

/** What `errors`, of different forms, ask for: `must be string or null`. Where the type of a form matches, no other type. */
const whatMustBe = (errors: readonly Fault[]): string | undefined => {
  const types = errors.flatMap((error) => (error.keyword === 'type' ? error.params.type : []))
  const others = errors.filter(({ keyword }) => keyword !== 'type')
  const hasType = others.some(({ keyword }) => !OF_ANY_TYPE.has(keyword))
  const wanted = [
    ...others.map(whatIsWrong),
    ...(types.length === 0 || hasType ? [] : [`must be ${[...new Set(types)].join(' or ')}`]),
  ]
  return wanted.length === 0 ? undefined : [...new Set(wanted)].join(', or ')
}

const whatIsWrong = (error: Fault): string => {
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
    case 'minLength':
    case 'minItems':
      return error.params.limit === 1 ? 'must not be empty' : error.message
    case 'pattern':
      return PATTERNS[String(error.params.pattern)] ?? error.message
    default:
      return error.message
  }
}
