// Emulates structured cloning with JSON, between main and page, and between the two worlds of a page. Its source is also
// injected into pages, so it uses nothing outside this file.

export type Encoded = null | string | boolean | number | readonly Encoded[] | { readonly $: Tag; readonly v?: Encoded }
type Tag = 'undefined' | 'number' | 'bigint' | 'date' | 'regexp' | 'map' | 'set' | 'error' | 'bytes' | 'object' | Live
type Live = 'function' | 'promise'

/** Values that contextBridge passes besides clones: functions and promises, by number. */
export type LiveValues = {
  hold(value: (...args: readonly unknown[]) => unknown): number
  follow(value: PromiseLike<unknown>): number
  callable(id: number): (...args: readonly unknown[]) => unknown
  promise(id: number): Promise<unknown>
}

export type Codec = { encode(value: unknown): Encoded; decode(encoded: Encoded): unknown }

export function createCodec(live?: LiveValues): Codec {
  const refuse = (): never => {
    throw new Error('An object could not be cloned.')
  }
  const tagged = ($: Tag, v?: Encoded): Encoded => (v === undefined ? { $ } : { $, v })

  const encodeBytes = (value: ArrayBuffer | ArrayBufferView): Encoded => {
    const isView = ArrayBuffer.isView(value)
    const bytes = isView ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : new Uint8Array(value)
    let text = ''
    for (const byte of bytes) text += String.fromCharCode(byte)
    const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
    return tagged('bytes', [btoa(text), kind])
  }

  const encodeObject = (value: object, above: readonly object[]): Encoded => {
    if (above.includes(value)) throw new Error('stand-in: a value that contains itself cannot be passed')
    const within = [...above, value]
    const inner = (one: unknown) => encodeWithin(one, within)
    if (Array.isArray(value)) return value.map(inner)
    if (value instanceof Date) return tagged('date', value.getTime())
    if (value instanceof RegExp) return tagged('regexp', [value.source, value.flags])
    if (value instanceof Map)
      return tagged(
        'map',
        [...value].map((entry) => entry.map(inner)),
      )
    if (value instanceof Set) return tagged('set', [...value].map(inner))
    // contextBridge passes only the message of an error.
    if (value instanceof Error) return tagged('error', live ? ['Error', value.message] : [value.name, value.message])
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return encodeBytes(value)
    if ('nodeType' in value && 'ownerDocument' in value) return refuse()
    return tagged(
      'object',
      Object.entries(value).map(([key, one]) => [key, inner(one)]),
    )
  }

  const encodeWithin = (value: unknown, above: readonly object[]): Encoded => {
    switch (typeof value) {
      case 'undefined':
        return tagged('undefined')
      case 'string':
      case 'boolean':
        return value
      case 'number':
        if (Number.isFinite(value) && !Object.is(value, -0)) return value
        return tagged('number', Object.is(value, -0) ? '-0' : String(value))
      case 'bigint':
        return tagged('bigint', String(value))
      case 'symbol':
        return refuse()
      case 'function':
        return live ? tagged('function', live.hold(value as Parameters<LiveValues['hold']>[0])) : refuse()
      case 'object':
        if (value === null) return null
        if (value instanceof Promise) return live ? tagged('promise', live.follow(value)) : refuse()
        return encodeObject(value, above)
    }
  }

  const decodeError = ([name, message]: readonly string[]): Error => {
    const kinds: Record<string, ErrorConstructor> = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError }
    return new (kinds[name ?? ''] ?? Error)(message)
  }
  const decodeBytes = ([text, kind]: readonly [string, string]): unknown => {
    const { buffer } = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    const views = globalThis as unknown as Record<string, new (buffer: ArrayBuffer) => unknown>
    return kind === 'ArrayBuffer' ? buffer : new views[kind]!(buffer)
  }

  const decode = (encoded: Encoded): unknown => {
    if (encoded === null || typeof encoded !== 'object') return encoded
    if (Array.isArray(encoded)) return encoded.map(decode)
    const { $, v } = encoded as { $: Tag; v: never }
    switch ($) {
      case 'undefined':
        return undefined
      case 'number':
        return Number(v)
      case 'bigint':
        return BigInt(v)
      case 'date':
        return new Date(v ?? NaN) // JSON has no NaN
      case 'regexp':
        return new RegExp(v[0], v[1])
      case 'map':
        return new Map((v as Encoded[][]).map(([key, one]) => [decode(key!), decode(one!)]))
      case 'set':
        return new Set((v as Encoded[]).map(decode))
      case 'error':
        return decodeError(v)
      case 'bytes':
        return decodeBytes(v)
      case 'object':
        return Object.fromEntries((v as [string, Encoded][]).map(([key, one]) => [key, decode(one)]))
      case 'function':
        return live?.callable(v)
      case 'promise':
        return live?.promise(v)
    }
  }

  return { encode: (value) => encodeWithin(value, []), decode }
}
