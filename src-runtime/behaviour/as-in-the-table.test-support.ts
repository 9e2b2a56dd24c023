import { Check, Errors } from 'typebox/schema'
import { expect } from 'vitest'
import { errorStatuses } from '../contract/errors.ts'
import type { OperationSpec } from '../contract/operation-spec.ts'
import { operations, type OperationName } from '../contract/operations.ts'

type Answered = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Paths without parameters first, as in the router. */
const table = (Object.entries(operations) as [OperationName, OperationSpec][]).toSorted(
  ([, one], [, other]) => one.path.split(':').length - other.path.split(':').length,
)

/** Checks that the table describes the answer. */
export const expectAsInTheTable = (method: string, target: string, { status, headers, text }: Answered): void => {
  if (method === 'HEAD') return
  if (status >= 400) {
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    const { error, ...others } = JSON.parse(text) as { error: { code: string; message: string } }
    expect([Object.keys(error), typeof error.message, others]).toEqual([['code', 'message'], 'string', {}])
    return expect([error.code, status]).toEqual([error.code, (errorStatuses as Record<string, number>)[error.code]])
  }
  const path = target.split('?')[0]!.replace(/^\/local|^\/hosted\/current/, '')
  const row = table
    .filter(([, spec]) => spec.method === method)
    .find(([, spec]) => new RegExp(`^${spec.path.replaceAll(/:[a-z]+/gi, '[^/]+')}$`).test(path))
  if (row === undefined) return
  const answer = row[1].answers[status]
  expect(answer, `${row[0]} has no answer ${status}`).toBeDefined()
  const { schema } = answer!
  if (schema === undefined) return expect([text, headers['content-type']]).toEqual(['', undefined])
  const value = JSON.parse(text) as unknown
  expect(Check(schema, value) ? [] : Errors(schema, value)[1]).toEqual([])
}
