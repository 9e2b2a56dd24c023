// The schemas with which authors describe inputs and payloads: any library that implements Standard Schema
// (https://standardschema.dev), or JSON Schema. The compiler writes JSON Schema into the manifest, and the service
// checks inputs and payloads against it before a Program sees them.

import type { JsonSchema } from './contract-types.ts'

/** The part of a Standard Schema that names its types. */
export type StandardSchema<Input = unknown, Output = unknown> = {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
  }
}

/**
 * Carries no types: the Program declares the type of its input. `object` is for those that a library declares as an
 * interface, such as TypeBox. Arrays and functions have a `length`.
 */
export type PlainJsonSchema = (JsonSchema | object) & { readonly '~standard'?: never; readonly length?: never }

/**
 * Refuses `{ name: z.string() }`, which is neither a Standard Schema nor a JSON Schema. With \`Exclude\`, because TypeScript would infer
 * \`Described\` from the keys, too, which TypeScript 5 cannot for schemas of TypeBox 0.34.
 */
export type WithoutSchemas<Described> = Described extends boolean
  ? unknown
  : {
      readonly [Keyword in Exclude<keyof Described, never>]?: Described[Keyword] extends StandardSchema
        ? 'describe the whole object, such as with z.object({ … })'
        : unknown
    }

/** What a Program's `input` is sometimes taken for: `{ name: z.string() }`. */
export type PartSchemas = { readonly [name: string]: StandardSchema }

/** Refuses them, and says what to write. */
export type WholeSchema<Described> = Described extends StandardSchema ? Described : WithoutSchemas<Described>

export type Schema = StandardSchema | PlainJsonSchema

/**
 * The type of what callers send. A Program receives exactly that: a schema's defaults and transformations are not
 * applied, and are not part of the type.
 */
export type Accepted<Described> = Described extends StandardSchema
  ? NonNullable<Described['~standard']['types']>['input']
  : never
