// URL and URLSearchParams. The engine's extension parses URLs; this file adds the rest of the standard.

import { refusal, refusalOf } from './errors.js'
import {
  BaseTypeError,
  construct,
  defineProperty,
  getOwnPropertyDescriptor,
  getterOf,
  symbolIterator,
  toText,
  uncurry,
} from './primordials.js'

const NativeURL = URL
const decode = decodeURIComponent
const encodeText = encodeURIComponent

/** `application/x-www-form-urlencoded`: a stray `%` stays itself, bytes that are not UTF-8 become U+FFFD. */
const decodePart = (text) => {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  try {
    return decode(spaced)
  } catch {
    return spaced.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
      const bytes = new Uint8Array(run.length / 3)
      for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(run.slice(at * 3 + 1, at * 3 + 3), 16)
      return new TextDecoder().decode(bytes)
    })
  }
}

const ESCAPES = { '!': '%21', "'": '%27', '(': '%28', ')': '%29', '~': '%7E', '%20': '+' }
const encodePart = (text) => encodeText(text.toWellFormed()).replace(/[!'()~]|%20/g, (found) => ESCAPES[found])

const parseQuery = (text) => {
  const pairs = []
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    pairs.push(at < 0 ? [decodePart(part), ''] : [decodePart(part.slice(0, at)), decodePart(part.slice(at + 1))])
  }
  return pairs
}

const asText = (value) => toText(value).toWellFormed()

const pairsOf = (init) => {
  if (init === undefined || init === null) return []
  if (typeof init !== 'object' && typeof init !== 'function') {
    const text = asText(init)
    return parseQuery(text[0] === '?' ? text.slice(1) : text)
  }
  if (typeof init[symbolIterator] === 'function') {
    return Array.from(init, (pair) => {
      const items = Array.from(pair)
      if (items.length !== 2) {
        throw refusal(new BaseTypeError('Each query pair must be an iterable [name, value] tuple'), URLSearchParams)
      }
      return [asText(items[0]), asText(items[1])]
    })
  }
  return Object.keys(init).map((key) => [asText(key), asText(init[key])])
}

class URLSearchParams {
  #pairs
  #changed = undefined

  constructor(init = '') {
    this.#pairs = pairsOf(init)
  }

  static connect(params, query, changed) {
    params.#pairs = parseQuery(query)
    params.#changed = changed
  }

  #update(pairs) {
    this.#pairs = pairs
    this.#changed?.(this.toString())
  }

  get size() {
    return this.#pairs.length
  }

  append(name, value) {
    this.#update([...this.#pairs, [asText(name), asText(value)]])
  }

  delete(name, value) {
    const key = asText(name)
    const wanted = value === undefined ? undefined : asText(value)
    this.#update(this.#pairs.filter((pair) => pair[0] !== key || (wanted !== undefined && pair[1] !== wanted)))
  }

  get(name) {
    const key = asText(name)
    return this.#pairs.find((pair) => pair[0] === key)?.[1] ?? null
  }

  getAll(name) {
    const key = asText(name)
    return this.#pairs.filter((pair) => pair[0] === key).map((pair) => pair[1])
  }

  has(name, value) {
    const key = asText(name)
    const wanted = value === undefined ? undefined : asText(value)
    return this.#pairs.some((pair) => pair[0] === key && (wanted === undefined || pair[1] === wanted))
  }

  set(name, value) {
    const key = asText(name)
    const text = asText(value)
    let isSet = false
    const pairs = []
    for (const pair of this.#pairs) {
      if (pair[0] !== key) pairs.push(pair)
      else if (!isSet) {
        pairs.push([key, text])
        isSet = true
      }
    }
    this.#update(isSet ? pairs : [...pairs, [key, text]])
  }

  sort() {
    this.#update(this.#pairs.toSorted((left, right) => (left[0] < right[0] ? -1 : left[0] > right[0] ? 1 : 0)))
  }

  forEach(callback, self) {
    for (const [name, value] of this) callback.call(self, value, name, this)
  }

  *entries() {
    for (let at = 0; at < this.#pairs.length; at++) yield [this.#pairs[at][0], this.#pairs[at][1]]
  }

  *keys() {
    for (let at = 0; at < this.#pairs.length; at++) yield this.#pairs[at][0]
  }

  *values() {
    for (let at = 0; at < this.#pairs.length; at++) yield this.#pairs[at][1]
  }

  [symbolIterator]() {
    return this.entries()
  }

  toString() {
    return this.#pairs.map((pair) => `${encodePart(pair[0])}=${encodePart(pair[1])}`).join('&')
  }
}
const { connect } = URLSearchParams
delete URLSearchParams.connect

const PARTS = ['protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'hash']

class WebURL {
  #url
  #params = undefined

  constructor(url, base) {
    const texts = base === undefined ? [asText(url)] : [asText(url), asText(base)]
    try {
      this.#url = construct(NativeURL, texts)
    } catch (error) {
      throw refusalOf(error, WebURL)
    }
  }

  static canParse(url, base) {
    return WebURL.parse(url, base) !== null
  }

  static parse(url, base) {
    try {
      return new WebURL(url, base)
    } catch {
      return null
    }
  }

  static part(name) {
    return {
      get() {
        return this.#url[name]
      },
      set(value) {
        this.#url[name] = asText(value)
      },
      enumerable: true,
      configurable: true,
    }
  }

  get href() {
    return this.#url.href
  }

  set href(value) {
    const text = asText(value)
    try {
      this.#url.href = text
    } catch (error) {
      throw refusalOf(error, setHref)
    }
    this.#refresh()
  }

  get search() {
    return this.#url.search
  }

  set search(value) {
    this.#url.search = asText(value)
    this.#refresh()
  }

  get origin() {
    return this.#url.origin
  }

  get searchParams() {
    if (this.#params === undefined) {
      this.#params = new URLSearchParams()
      this.#refresh()
    }
    return this.#params
  }

  toString() {
    return this.#url.href
  }

  toJSON() {
    return this.#url.href
  }

  #refresh() {
    if (this.#params === undefined) return
    connect(this.#params, this.#url.search.slice(1), (query) => {
      this.#url.search = query
    })
  }
}
for (const name of PARTS) defineProperty(WebURL.prototype, name, WebURL.part(name))
delete WebURL.part
const { set: setHref } = getOwnPropertyDescriptor(WebURL.prototype, 'href')
for (const name of ['href', 'search', 'origin', 'searchParams', 'toString', 'toJSON']) {
  defineProperty(WebURL.prototype, name, { enumerable: true })
}
defineProperty(WebURL, 'name', { value: 'URL' })

/** By the names of the classes. They throw for other values. */
export const urlTexts = {
  __proto__: null,
  URL: getterOf(WebURL.prototype, 'href'),
  URLSearchParams: uncurry(URLSearchParams.prototype.toString),
}

export const installUrl = () => {
  for (const [name, value] of Object.entries({ URL: WebURL, URLSearchParams })) {
    defineProperty(value.prototype, Symbol.toStringTag, { value: name, configurable: true })
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true })
  }
}
