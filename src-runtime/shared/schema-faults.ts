// Describes a validator's errors for the sender of the value.

import type { TLocalizedValidationError } from 'typebox/error'

const SHOWN_FAULTS = 3
const SHOWN_CHARACTERS = 1_000
const SHOWN_VALUES = 20

/** The first few faults, each beginning with the path to it: `body/name must be string`. */
export const describeFaults = (part: string, errors: readonly TLocalizedValidationError[]): string => {
  // That a member is not allowed is said once, by name.
  const named = withTypesTogether(ofClosestForm(errors.filter(({ keyword }) => keyword !== 'boolean')))
  const faults = (named.length === 0 ? errors : named)
    .slice(0, SHOWN_FAULTS)
    .map((error) => `${part}${error.instancePath} ${whatIsWrong(error)}`)
  return faults.length === 0 ? `${part} is not allowed` : faults.join('; ').slice(0, SHOWN_CHARACTERS)
}

/** Where a value has none of several forms: the faults within it, and not that it has no other form as a whole. */
const ofClosestForm = (errors: readonly TLocalizedValidationError[]): readonly TLocalizedValidationError[] => {
  const forms = errors.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => `${instancePath}/`)
  const isWithin = forms.map((form) => errors.some(({ instancePath }) => instancePath.startsWith(form)))
  return errors.filter(({ instancePath, keyword }) => {
    const form = forms.indexOf(`${instancePath}/`)
    return form < 0 || (keyword !== 'anyOf' && !isWithin[form])
  })
}

/**
 * Of the forms of a value at one place: those of another type are left out if one has its type, and told in one sentence
 * if none has.
 */
const withTypesTogether = (errors: readonly TLocalizedValidationError[]): readonly TLocalizedValidationError[] =>
  errors.flatMap((error) => {
    const form = error.keyword === 'type' ? /^.*\/anyOf\/(?=\d+$)/.exec(error.schemaPath)?.[0] : undefined
    if (form === undefined) return [error]
    const forms = errors.filter(
      ({ schemaPath, instancePath }) => schemaPath.startsWith(form) && instancePath === error.instancePath,
    )
    if (forms[0] !== error || forms.some(({ keyword }) => keyword !== 'type')) return []
    const types = forms.flatMap((one) => (one.keyword === 'type' ? one.params.type : []))
    return [{ ...error, message: `must be ${types.join(' or ')}` }]
  })

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
    default:
      return error.message
  }
}
