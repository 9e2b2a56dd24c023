import { openApiDocument } from '../contract/open-api.ts'
import type { AnswerOf } from '../contract/operations.ts'
import { toWire } from '../contract/wire-json.ts'
import type { Service } from '../operations/get-health.ts'

/**
 * The handler for `/openapi.json`. The document is made at the first request, and so are its bytes: anybody may ask for it, and
 * most of the time that an answer took was spent on making them from the text.
 */
export const describeApi = ({ home, version }: Pick<Service, 'home' | 'version'>): (() => AnswerOf<'getOpenApi'>) => {
  let answer: AnswerOf<'getOpenApi'> | undefined
  const make = (): AnswerOf<'getOpenApi'> => {
    const json = toWire<Record<string, unknown>>({ ...openApiDocument({ version, home }) })
    return { status: 200, json, bytes: Buffer.from(json) }
  }
  return () => (answer ??= make())
}
