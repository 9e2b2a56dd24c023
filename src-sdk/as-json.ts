// What is left of a value after it was sent as JSON, as all inputs, results and payloads are. Types only.

import type { JsonValue } from './contract-types.ts'

/** Stands where a value would be that JSON cannot hold, and says what to send instead. */
export type NotJson<Advice extends string> = { readonly '~notJson': Advice }

/**
 * The type of what arrives: a `Date` is text, methods are gone, and members that may be undefined may be absent. A type
 * that JSON keeps as it is stays as it was written.
 */
export type AsJson<Value> = unknown extends Value
  ? Value
  : [Value] extends [Carried<Value>]
    ? [Carried<Value>] extends [Value]
      ? Value
      : Carried<Value>
    : Carried<Value>

/** The type of an input, refused where the function that declares it would get something else. */
export type Sendable<Input> = unknown extends Input
  ? Input
  : [Input] extends [AsJson<Input>]
    ? Input
    : NotJson<'an input arrives as JSON: declare what arrives, such as string for a Date'>

type AnyFunction = ((...args: never[]) => unknown) | (abstract new (...args: never[]) => unknown)

/** What `JSON.stringify` leaves out of an object, and writes as null in a list. */
type LeftOut = undefined | symbol | AnyFunction

type Carried<Value> = unknown extends Value
  ? Value
  : Value extends JsonValue | undefined | void
    ? Value
    : Value extends { toJSON(...args: never[]): infer Text }
      ? Carried<Text>
      : Value extends bigint
        ? NotJson<'JSON has no bigint: send its text, String(value)'>
        : Value extends symbol | AnyFunction
          ? NotJson<'JSON has no functions and no symbols'>
          : Value extends readonly unknown[]
            ? List<Value>
            : Value extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
              ? NotJson<'JSON has no Map and no Set: send a list, [...value]'>
              : Value extends ArrayBufferView | ArrayBuffer
                ? NotJson<'JSON has no bytes: send their text, such as base64'>
                : Value extends PromiseLike<unknown>
                  ? NotJson<'JSON has no promises: await it first'>
                  : Value extends object
                    ? Members<Value>
                    : unknown

/** Not mapped where it is no tuple: TypeScript would not stop at a list of lists of itself. */
type List<Values extends readonly unknown[]> = number extends Values['length']
  ? Values extends unknown[]
    ? Item<Values[number]>[]
    : readonly Item<Values[number]>[]
  : { [Index in keyof Values]: Item<Values[Index]> }

type Item<Value> = unknown extends Value
  ? Value
  : Carried<Exclude<Value, LeftOut>> | ([Extract<Value, LeftOut>] extends [never] ? never : null)

/** Members keep their modifiers, and become optional where the value may be left out. */
type Members<Value> = {
  [Name in keyof Value as Presence<Value, Name> extends 'kept' ? Name : never]: Carried<Value[Name]>
} & {
  [Name in keyof Value as Presence<Value, Name> extends 'optional' ? Name : never]?:
    | Carried<Exclude<Value[Name], LeftOut>>
    | undefined
} extends infer Both
  ? { [Name in keyof Both]: Both[Name] }
  : never

type Presence<Value, Name extends keyof Value> = Name extends symbol
  ? 'never'
  : unknown extends Value[Name]
    ? 'kept'
    : [Exclude<Value[Name], LeftOut>] extends [never]
      ? 'never'
      : [Extract<Value[Name], LeftOut>] extends [never]
        ? 'kept'
        : [Extract<Value[Name], LeftOut>] extends [undefined]
          ? Record<never, never> extends Pick<Value, Name>
            ? 'kept'
            : 'optional'
          : 'optional'
