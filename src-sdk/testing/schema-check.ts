// Checks inputs and payloads against Standard Schemas. A plain JSON Schema would need a library, and is left to the
// service.

import type { EventReference } from '../definitions.ts'
import { ServiceRuntimeError } from '../service-runtime-error.ts'

type Issue = { readonly message: string; readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] }
type Validate = (value: unknown) => Verdict | Promise<Verdict>
type Verdict = { readonly issues?: readonly Issue[] }

export const schemaOfEvent = (events: readonly EventReference[], name: string): unknown =>
  (events.find((event) => event.name === name) as { readonly schema?: unknown } | undefined)?.schema

/** `text`: the JSON text of the value. */
export const refuseUnlessAccepted = async (text: string | undefined, what: string, schema: unknown): Promise<void> => {
  const value: unknown = text === undefined ? undefined : JSON.parse(text)
  const issue = (await validateOf(schema)?.(value))?.issues?.[0]
  if (issue === undefined) return
  const path = (issue.path ?? []).map((part) => `/${String(typeof part === 'object' ? part.key : part)}`).join('')
  const message = `${what} does not match its schema${path === '' ? '' : ` at ${path}`}: ${issue.message}`
  throw new ServiceRuntimeError({ status: 400, code: 'invalid_input', message })
}

const validateOf = (schema: unknown): Validate | undefined => {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return undefined
  const standard = (schema as { readonly '~standard'?: { readonly validate?: Validate } })['~standard']
  return standard?.validate
}
