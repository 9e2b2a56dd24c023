// JSON text that is known to have a shape. Inputs, results and payloads are kept as text from the moment they were
// checked, so answers are put together from text; the brand lets the compiler still see what the text says.

import type { JsonText } from '../engine/journal.ts'

declare const shape: unique symbol

export type WireJson<Shape> = string & { readonly [shape]: Shape }

export const toWire = <Shape>(value: Shape): WireJson<Shape> => JSON.stringify(value) as WireJson<Shape>

/** The object with one more member, whose value is text already. The object must have a member. */
export const withMember = <Shape, Name extends string>(
  object: WireJson<Shape>,
  name: Name,
  value: JsonText,
): WireJson<Shape & { [Member in Name]: unknown }> =>
  `${object.slice(0, -1)},${JSON.stringify(name)}:${value}}` as WireJson<Shape & { [Member in Name]: unknown }>

/** The object with the members of another object, both text. The first must have a member; names must differ. */
export const withMembersOf = <Shape, Members>(object: WireJson<Shape>, members: JsonText): WireJson<Shape & Members> =>
  (members === '{}' ? object : `${object.slice(0, -1)},${members.slice(1)}`) as WireJson<Shape & Members>

export const wireList = <Item>(
  items: readonly WireJson<Item>[],
  nextCursor: string | null,
): WireJson<{ items: Item[]; nextCursor: string | null }> =>
  `{"items":[${items.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}` as WireJson<{
    items: Item[]
    nextCursor: string | null
  }>
