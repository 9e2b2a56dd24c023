// A thread that checks values against schemas of artifacts, and these schemas themselves, one at a time.

import { parentPort } from 'node:worker_threads'
import { ApiError } from '../contract/errors.ts'
import type { Manifest } from '../contract/models.ts'
import type { JsonText } from '../engine/journal.ts'
import { createSchemaCheck, type CheckOutcome, type Schema, type SchemaCheck } from './check-json-schema.ts'
import { manifestFault } from './manifest-fault.ts'

export type Asked =
  | {
      readonly kind: 'value'
      /** Absent: the last one. */
      readonly schema?: JsonText | undefined
      /** Of the value, in messages. */
      readonly name: string
      readonly value: JsonText
    }
  | { readonly kind: 'manifest'; readonly manifest: JsonText }

export type Answered =
  | CheckOutcome
  | { readonly kind: 'manifest'; readonly fault: string | undefined }
  /** The system gave too little to check with. */
  | { readonly kind: 'unavailable' }

let check: SchemaCheck | undefined

const answer = (asked: Asked): Answered => {
  if (asked.kind === 'manifest')
    return { kind: 'manifest', fault: manifestFault(JSON.parse(asked.manifest) as Manifest) }
  if (asked.schema !== undefined) check = createSchemaCheck(JSON.parse(asked.schema) as Schema, asked.schema)
  return check!(asked.name, JSON.parse(asked.value), asked.value)
}

const answerOrRefuse = (asked: Asked): Answered => {
  try {
    return answer(asked)
  } catch (error) {
    if (error instanceof ApiError) return { kind: 'unavailable' }
    throw error
  }
}

parentPort!.on('message', (asked: Asked) => parentPort!.postMessage(answerOrRefuse(asked)))
