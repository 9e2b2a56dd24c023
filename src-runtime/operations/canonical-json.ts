import { hash } from 'node:crypto'

/**
 * RFC 8785 for a value that was parsed from JSON, no deeper than JSON may be: members in the order of their UTF-16
 * code units; numbers and strings are written by JSON.stringify as the RFC has them. Lone surrogates, which the RFC
 * refuses, stay escaped.
 */
export const canonicalJson = (value: unknown): string => {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = value as Readonly<Record<string, unknown>>
  const written = Object.keys(members)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(members[name])}`)
  return `{${written.join(',')}}`
}

/** SHA-256 of the canonical form, in hex. */
export const canonicalDigest = (value: unknown): string => hash('sha256', canonicalJson(value), 'hex')

/** 88 bits: enough to tell requests with the same idempotency key apart. Every start writes them. */
const HASH_LENGTH = 22

export const bodyHash = (body: unknown): string => canonicalDigest(body).slice(0, HASH_LENGTH)
