// What authors describe inputs and payloads with: a schema of any library that speaks Standard Schema
// (https://standardschema.dev), or a JSON Schema. The compiler puts JSON Schema into the manifest; the service checks
// what is sent against that, before a Program sees it.

import type { JsonSchema } from './contract-types.ts'

/** The part of a Standard Schema that names its types. */
export type StandardSchema<Input = unknown, Output = unknown> = {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/** Names no types: a Program says itself what its input is. */
export type PlainJsonSchema = JsonSchema & { readonly '~standard'?: never }

export type Schema = StandardSchema | PlainJsonSchema

/**
 * What may be sent. A Program gets exactly that: values travel as they were sent, so a schema's defaults and
 * transformations are not applied, and the type does not promise them.
 */
export type Accepted<Described extends StandardSchema> = NonNullable<Described['~standard']['types']>['input']
