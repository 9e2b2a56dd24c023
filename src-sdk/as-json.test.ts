import { expect, expectTypeOf, it } from 'vitest'
import type { AsJson, NotJson } from './as-json.ts'
import type { JsonValue } from './contract-types.ts'

type Tree = { readonly name: string; readonly children: readonly Tree[] }
type DatedTree = { readonly at: Date; readonly children: readonly DatedTree[] }
type LooseJson = string | undefined | LooseJson[] | { [member: string]: LooseJson }
type Named = string & { readonly __brand: 'id' }
/** As Prisma declares JSON. */
type PrismaObject = { [member in string]?: PrismaValue }
type PrismaValue = string | number | boolean | PrismaObject | PrismaValue[] | null
type Any = ReturnType<typeof JSON.parse>

class Sum {
  cents = 1
  readonly #secret = 2
  total(): number {
    return this.cents + this.#secret
  }
}

it('leaves types as they are written that JSON keeps', () => {
  expectTypeOf<AsJson<{ readonly a?: string; b: number | null }>>().toEqualTypeOf<{
    readonly a?: string
    b: number | null
  }>()
  expectTypeOf<AsJson<{ a: Any; b: unknown }>>().toEqualTypeOf<{ a: Any; b: unknown }>()
  expectTypeOf<AsJson<Tree>>().toEqualTypeOf<Tree>()
  expectTypeOf<AsJson<JsonValue>>().toEqualTypeOf<JsonValue>()
  expectTypeOf<AsJson<PrismaValue>>().toEqualTypeOf<PrismaValue>()
  expectTypeOf<AsJson<Named | undefined>>().toEqualTypeOf<Named | undefined>()
  expectTypeOf<AsJson<Record<string, readonly [1, 2]>>>().toEqualTypeOf<Record<string, readonly [1, 2]>>()
  expectTypeOf<AsJson<Any>>().toBeAny()
  expectTypeOf<AsJson<unknown>>().toBeUnknown()
  expectTypeOf<AsJson<never>>().toBeNever()
  expectTypeOf<AsJson<void>>().toEqualTypeOf<void>()
})

it('says what arrives of what JSON changes', () => {
  expectTypeOf<AsJson<Date>>().toEqualTypeOf<string>()
  expectTypeOf<AsJson<{ readonly at?: Date }>>().toEqualTypeOf<{ readonly at?: string }>()
  expectTypeOf<AsJson<Record<string, Date>>>().toEqualTypeOf<Record<string, string>>()
  expectTypeOf<AsJson<[1, Date]>>().toEqualTypeOf<[1, string]>()
  expectTypeOf<AsJson<readonly Date[]>>().toEqualTypeOf<readonly string[]>()
  expectTypeOf<AsJson<(string | undefined)[]>>().toEqualTypeOf<(string | null)[]>()
  expectTypeOf<AsJson<{ a: string | undefined; b: undefined; c: 1 }>>().toEqualTypeOf<{ a?: string; c: 1 }>()
  expectTypeOf<AsJson<{ kind: 'a'; at: Date } | { kind: 'b' }>>().toEqualTypeOf<
    { kind: 'a'; at: string } | { kind: 'b' }
  >()
  expectTypeOf<AsJson<Sum>>().toEqualTypeOf<{ cents: number }>()
  expectTypeOf<AsJson<{ call: () => void; key: symbol; c: 1 }>>().toEqualTypeOf<{ c: 1 }>()
  expectTypeOf<AsJson<{ price: { toJSON(): { cents: number } } }>>().toEqualTypeOf<{ price: { cents: number } }>()
  expectTypeOf<AsJson<DatedTree>['children'][number]['at']>().toEqualTypeOf<string>()
  expectTypeOf<Extract<AsJson<LooseJson[]>[number], string | null | undefined>>().toEqualTypeOf<string | null>()
})

it('says what to send instead of what JSON cannot hold', () => {
  const useList = (entries: readonly (readonly [string, number])[]) => entries.length
  const readTotals = (): AsJson<Map<string, number>> =>
    ({}) as NotJson<'JSON has no Map and no Set: send a list, [...value]'>
  // @ts-expect-error it arrives as {}
  expect(useList(readTotals())).toBeUndefined()
  expectTypeOf<AsJson<{ id: bigint }>['id']>().toEqualTypeOf<
    NotJson<'JSON has no bigint: send its text, String(value)'>
  >()
  expectTypeOf<AsJson<Uint8Array>>().toEqualTypeOf<NotJson<'JSON has no bytes: send their text, such as base64'>>()
  expectTypeOf<AsJson<{ rows: Promise<number> }>['rows']>().toEqualTypeOf<
    NotJson<'JSON has no promises: await it first'>
  >()
  expectTypeOf<AsJson<() => void>>().toEqualTypeOf<NotJson<'JSON has no functions and no symbols'>>()
})
