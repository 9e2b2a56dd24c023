// Reads conversations from fixtures/http, holds them against a service, and records them. README.md describes the
// format.

import { request } from 'undici'
import type { Home } from '../contract/operation-spec.ts'
import type { Service } from './service.test-support.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }

export type Conversation = {
  readonly about: string
  /** Not every answer can be provoked: such a conversation is only read by those who play the server. */
  readonly replayOnly?: true
  /** Only this home answers so. */
  readonly home?: Home
  readonly exchanges: readonly Exchange[]
}

export type Exchange = {
  readonly name: string
  /** Ask again until the answer is the expected one, for a few seconds. */
  readonly eventually?: true
  /** Only this home answers so. */
  readonly home?: Home
  readonly request: {
    readonly method: string
    readonly path: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Json
    /** A body that is sent as it stands. */
    readonly text?: string
    /** A body of so many bytes: JSON text of the letter x. */
    readonly fillerBytes?: number
  }
  readonly answer: {
    readonly status: number
    /** Those that matter. */
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Json
  }
}

export type Answered = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

/** What a sample in a fixture stands for in this run, and the other way round. */
export type Samples = {
  readonly toActual: Map<string, string>
  readonly toSample: Map<string, string>
  /** What `default` stands for where an answer names a project. */
  readonly defaultProjectId: string
}

export const newSamples = (defaultProjectId: string): Samples => ({
  toActual: new Map(),
  toSample: new Map(),
  defaultProjectId,
})

/** Ids of nothing, all zeros, stand for themselves. */
const ID = /\b(?:prj|ver|exe|evt|blk|trg|wsp|tok)_(?!0{26})[0-9a-z]{26}\b/g
const DAY = /^\d{4}-\d\d-\d\d$/
/** Days of usage. */
const TODAY = ['body/from', 'body/to']
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const translate = (text: string, words: ReadonlyMap<string, string>): string => {
  let translated = text
  for (const [from, to] of words) translated = translated.replaceAll(from, to)
  return translated
}

export const ask = async (
  { url, headers: own }: Pick<Service, 'url' | 'headers'>,
  exchange: Exchange,
  samples: Samples,
): Promise<Answered> => {
  const { method, path, headers = {}, body, text, fillerBytes } = exchange.request
  const json = body === undefined ? undefined : JSON.stringify(body)
  const filler = fillerBytes === undefined ? undefined : `"${'x'.repeat(fillerBytes - 2)}"`
  const sent = text ?? json ?? filler
  const actual = (value: string) => translate(value, samples.toActual)
  const answer = await request(`${url}${actual(path)}`, {
    method: method as 'GET',
    headers: {
      ...own,
      ...((json ?? filler) !== undefined && { 'content-type': 'application/json' }),
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, actual(value)])),
    },
    body: sent === undefined ? null : actual(sent),
  })
  const received = await answer.body.text()
  const isJson = String(answer.headers['content-type']).startsWith('application/json')
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
    body: isJson && received !== '' ? (JSON.parse(received) as Json) : received,
  }
}

/** What is different about an answer, as paths; samples that appear for the first time are learnt. */
export const differences = (expected: Exchange['answer'], actual: Answered, samples: Samples): readonly string[] => {
  const found: string[] = []
  if (expected.status !== actual.status) found.push(`status: ${actual.status} instead of ${expected.status}`)
  if (expected.body !== undefined) compare(expected.body, actual.body, 'body', samples, found)
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    compare(value, actual.headers[name] ?? null, `headers/${name}`, samples, found)
  }
  return found
}

const compare = (expected: Json, actual: Json, at: string, samples: Samples, found: string[]): void => {
  if (at in MACHINE) {
    if (typeof expected !== typeof actual) found.push(`${at}: ${typeof actual} instead of ${typeof expected}`)
    return
  }
  if (typeof expected === 'string' && typeof actual === 'string') {
    if (!isSame(expected, actual, at, samples)) found.push(`${at}: ${actual} instead of ${expected}`)
    return
  }
  if (typeof expected !== 'object' || typeof actual !== 'object' || expected === null || actual === null) {
    if (expected !== actual) found.push(`${at}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`)
    return
  }
  const names = new Set([...Object.keys(expected), ...Object.keys(actual)])
  if (Array.isArray(expected) !== Array.isArray(actual)) found.push(`${at}: a list or an object`)
  for (const name of names) {
    const [one, other] = [expected, actual].map((value) => (value as Readonly<Record<string, Json | undefined>>)[name])
    if (one === undefined || other === undefined)
      found.push(`${at}/${name}: ${other === undefined ? 'missing' : 'unexpected'}`)
    else compare(one, other, `${at}/${name}`, samples, found)
  }
}

/** What depends on the machine and the moment, and what stands for it. */
const MACHINE: Readonly<Record<string, Json>> = {
  'body/pid': 4242,
  'body/port': 3477,
  'body/dataDir': '/home/ada/.local/share/wes',
  'body/dataBytes': 262144,
  'body/eventLoopDelayP99Ms': 1.5,
  'body/folder': '/home/ada/shop',
  'body/hosts': [
    { kind: 'program', role: 'shared', state: 'ready', pid: 4243, rssBytes: 83886080, busy: 2 },
    {
      kind: 'effect',
      role: 'shared',
      state: 'ready',
      pid: 4244,
      rssBytes: 73400320,
      busy: 1,
      folder: '/home/ada/shop',
      startedAt: '2026-01-31T12:00:00.000Z',
    },
  ],
}

/** Texts that the contract leaves to the server. */
const FREE = /^body\/error\/message$|^body\/version$|\/stack$|^body\/info\/version$/

/** What the server draws by lot, or what depends on where it runs, and what stands for it. */
const DRAWN: Readonly<Record<string, string>> = {
  secret: 'a-secret-that-nothing-accepts',
  publicId: '8cVd2m0qYk7ZsT4rGh1LwXe9NfBpUa3J',
  url: 'https://hooks.example.com/8cVd2m0qYk7ZsT4rGh1LwXe9NfBpUa3J',
}
const drawnAt = (at: string): string | undefined => {
  const [, name] = /^body(?:\/items\/\d+)?\/(\w+)$/.exec(at) ?? []
  return name === undefined ? undefined : DRAWN[name]
}

/** Where answers name a project. */
const PROJECT = /\/projectId$|^body\/items\/\d+\/id$|^body\/id$/

const isSame = (expected: string, actual: string, at: string, samples: Samples): boolean => {
  if (FREE.test(at) || drawnAt(at) !== undefined) return actual !== ''
  if (TIME.test(expected)) return TIME.test(actual)
  if (TODAY.includes(at)) return DAY.test(actual)
  if (expected === 'default' && PROJECT.test(at)) return actual === samples.defaultProjectId
  if (at === 'body/nextCursor') return learn(expected, actual, samples)
  const ids = expected.match(ID) ?? []
  const actualIds = actual.match(ID) ?? []
  return (
    ids.length === actualIds.length &&
    ids.every((id, index) => learn(id, actualIds[index]!, samples)) &&
    translate(expected, samples.toActual) === actual
  )
}

const learn = (sample: string, actual: string, samples: Samples): boolean => {
  const known = samples.toActual.get(sample)
  if (known !== undefined) return known === actual
  samples.toActual.set(sample, actual)
  samples.toSample.set(actual, sample)
  return true
}

const SAMPLE_TIME = '2026-01-31T12:00:00.000Z'

/** The answer as a fixture holds it: ids, times and cursors become samples, numbered in order of appearance. */
export const toFixture = (answered: Answered, kept: readonly string[], samples: Samples): Exchange['answer'] => {
  const headers = Object.entries(answered.headers).filter(([name]) => kept.includes(name))
  return {
    status: answered.status,
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map(([name, value]) => [name, withSamples(value, samples)])),
    }),
    ...(answered.body !== '' && { body: sampled(answered.body, samples) }),
  }
}

const sampled = (value: Json, samples: Samples, at = 'body'): Json => {
  const name = at.slice(at.lastIndexOf('/') + 1)
  if (MACHINE[at] !== undefined) return MACHINE[at]
  if (typeof value === 'string') {
    if (TIME.test(value)) return SAMPLE_TIME
    const drawn = drawnAt(at)
    if (drawn !== undefined) return drawn
    if (name === 'nextCursor') return sampleOf(value, 'cursor', samples)
    return withSamples(value, samples)
  }
  if (Array.isArray(value)) return value.map((item: Json, index) => sampled(item, samples, `${at}/${index}`))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, item]) => [member, sampled(item, samples, `${at}/${member}`)]),
  )
}

const withSamples = (text: string, samples: Samples): string =>
  text.replaceAll(ID, (id) => sampleOf(id, id.slice(0, 3), samples))

const sampleOf = (actual: string, kind: string, samples: Samples): string => {
  const known = samples.toSample.get(actual)
  if (known !== undefined) return known
  const number = [...samples.toActual.keys()].filter((sample) => sample.startsWith(kind)).length + 1
  const sample =
    kind === 'cursor' ? `cursor-${number}` : `${kind}_01jxmpe000e00800000000${String(number).padStart(4, '0')}`
  learn(sample, actual, samples)
  return sample
}
