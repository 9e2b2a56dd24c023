import type { EventReference } from './definitions.ts'
import type { Accepted, PlainJsonSchema, Schema, StandardSchema, WithoutSchemas } from './schema.ts'

export type EventDefinition<Payload = unknown, Name extends string = string> = EventReference<Payload, Name> & {
  /** The schema of its payloads; without one, any payload is accepted. */
  readonly schema?: Schema
}

/**
 * An event that a Program waits for.
 *
 *     export const approved = defineEvent('approved', z.object({ by: z.string() }))
 *     export const approved = defineEvent<{ by: string }>('approved')
 */
export function defineEvent<Described extends StandardSchema, Name extends string = string>(
  name: Name,
  schema: Described,
): EventDefinition<Accepted<Described>, Name>
export function defineEvent<
  Payload = unknown,
  Described extends PlainJsonSchema = PlainJsonSchema,
  Name extends string = string,
>(
  name: Name,
  ...[schema]: [schema?: Described | undefined] & [schema?: WithoutSchemas<Described> | undefined]
): EventDefinition<Payload, Name>
// @__NO_SIDE_EFFECTS__
export function defineEvent(name: string, schema?: Schema): EventDefinition {
  if (typeof name !== 'string' || name === '') throw new TypeError('defineEvent takes the name of an event')
  return Object.freeze({ name, ...(schema === undefined ? {} : { schema }) })
}
