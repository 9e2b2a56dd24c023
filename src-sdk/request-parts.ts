// Builds paths and queries, and percent-encodes every part from the caller.

import type { ExecutionFilter, Page } from './contract-types.ts'
import type { ErrorFilter, MetricsQuery } from './inspection-types.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'

/** A path with percent-encoded values: path`/v1/programs/${id}`. */
export const path = (fixed: TemplateStringsArray, ...values: readonly string[]): string =>
  fixed.reduce((before, part, index) => before + encodeSegment(values[index - 1]) + part)

const encodeSegment = (value: string | undefined): string => {
  // URL parsers remove dot segments, encoded or not, so that the request would go to another route.
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new TypeError(`This cannot be an id: ${JSON.stringify(value)}`)
  }
  return encode(value)
}

const encode = (value: string): string => {
  try {
    return encodeURIComponent(value)
  } catch {
    throw new TypeError(`This is not well-formed Unicode: ${JSON.stringify(value)}`)
  }
}

type QueryValue = string | number | boolean | Date | null | undefined

/** A query string with its `?`, or an empty string. Ignores members that are null or undefined. */
export const query = (members: Readonly<Record<string, QueryValue | readonly QueryValue[]>>): string => {
  const pairs = Object.entries(members).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly QueryValue[]) : [value as QueryValue])
      .filter((one) => one !== null && one !== undefined)
      .map((one) => `${name}=${encode(one instanceof Date ? one.toISOString() : String(one))}`),
  )
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

export const pageQuery = (page: Page | undefined): string => query({ limit: page?.limit, cursor: page?.cursor })

export const executionsQuery = (page: (Page & ExecutionFilter) | undefined): string =>
  query({ limit: page?.limit, cursor: page?.cursor, ...filterMembers(page) })

export const errorsQuery = (page: (Page & ErrorFilter) | undefined): string =>
  query({ limit: page?.limit, cursor: page?.cursor, programId: page?.programId })

export const metricsQuery = (asked: MetricsQuery | undefined): string =>
  query({ from: asked?.from, to: asked?.to, step: asked?.step, programId: asked?.programId })

/**
 * Picks the members of a filter from an object. Throws a TypeError for an empty list, which matches nothing, because a
 * query without the member matches everything.
 */
const filterMembers = (filter: ExecutionFilter | undefined): ExecutionFilter => {
  const members = pickMembers(filter)
  for (const [name, value] of Object.entries(members)) {
    if (Array.isArray(value) && value.length === 0) {
      throw new TypeError(`${name} is an empty list: leave it out, or name at least one`)
    }
  }
  return members
}

const pickMembers = (filter: ExecutionFilter | undefined): ExecutionFilter => ({
  status: filter?.status,
  notStatus: filter?.notStatus,
  programId: filter?.programId,
  notProgramId: filter?.notProgramId,
  version: filter?.version,
  createdAfter: filter?.createdAfter,
  createdBefore: filter?.createdBefore,
  finishedAfter: filter?.finishedAfter,
  finishedBefore: filter?.finishedBefore,
  q: filter?.q,
  notQ: filter?.notQ,
  label: filter?.label,
  needsAttention: filter?.needsAttention,
  waitingKind: filter?.waitingKind,
  waitingName: filter?.waitingName,
  errorFingerprint: filter?.errorFingerprint,
  triggerId: filter?.triggerId,
  againOf: filter?.againOf,
})

/** The member of a body, or none for undefined. Throws for a value that JSON lacks, which would be left out. */
export const optionalMember = (name: 'input' | 'payload', value: unknown): { readonly [member: string]: unknown } => {
  if (value === undefined) return {}
  const type = typeInJson(value)
  if (type === 'undefined' || type === 'function' || type === 'symbol') {
    const reason = type === 'undefined' ? 'its toJSON() returned undefined' : `it is a ${type}`
    throw new ServiceRuntimeError({
      status: 0,
      code: 'invalid_request',
      message: `The ${name} is not JSON: ${reason}`,
    })
  }
  return { [name]: value }
}

/** The type of what JSON.stringify writes for the value: a `toJSON()` may return another one. */
const typeInJson = (value: unknown): string => {
  let type: string = typeof value
  try {
    JSON.stringify(value, (_key, root: unknown) => {
      type = typeof root
      return null
    })
  } catch {
    // Writing the whole request throws the same, and says which request that was.
  }
  return type
}
