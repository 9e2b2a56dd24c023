import { openApiDocument } from '../contract/open-api.ts'
import type { AnswerOf } from '../contract/operations.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { Service } from '../operations/get-health.ts'

/** The handler for `/openapi.json`. The document is made at the first request. */
export const describeApi = ({ home, version }: Pick<Service, 'home' | 'version'>): (() => AnswerOf<'getOpenApi'>) => {
  let document: WireJson<Record<string, unknown>> | undefined
  return () => ({ status: 200, json: (document ??= toWire({ ...openApiDocument({ version, home }) })) })
}
