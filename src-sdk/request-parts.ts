// Paths and queries. Every part that comes from a caller is percent-encoded.

import type { ExecutionFilter, Page } from './contract-types.ts'

/** A path with percent-encoded values: path`/v1/programs/${id}`. */
export const path = (fixed: TemplateStringsArray, ...values: readonly string[]): string =>
  fixed.reduce((before, part, index) => before + encodeSegment(values[index - 1]) + part)

const encodeSegment = (value: string | undefined): string => {
  // Every URL parser removes dot segments, encoded or not, and the request would go to another route.
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

type QueryValue = string | number | Date | null | undefined

/** Empty, or beginning with `?`. Members that are null or undefined are left out. */
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
  query({
    limit: page?.limit,
    cursor: page?.cursor,
    status: page?.status,
    programId: page?.programId,
    version: page?.version,
    createdAfter: page?.createdAfter,
    createdBefore: page?.createdBefore,
    q: page?.q,
  })
