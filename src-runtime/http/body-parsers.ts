// Which bodies are taken: JSON, and empty ones of any type.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { unsupportedMediaType } from './answer-error.ts'
import { parseJsonBody } from './json-body.ts'

/** `turnOf`: what to wait for before a request's body is parsed. */
export const addBodyParsers = (
  app: FastifyInstance,
  turnOf: (request: FastifyRequest) => (() => Promise<void>) | undefined,
): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    const parsed = (): unknown => (body.length === 0 ? undefined : parseJsonBody(body))
    const turn = turnOf(request)
    if (turn === undefined) return done(null, parsed())
    return turn().then(parsed)
  })
  app.addContentTypeParser('*', (_request, payload, done) => {
    // A body of another type may still turn out to be empty when it comes in chunks.
    const settle = (error?: Error) => {
      payload.off('data', refuse).off('end', finish).off('error', fail)
      done(error ?? null, undefined)
    }
    const refuse = () => settle(unsupportedMediaType())
    const finish = () => settle()
    // The caller is gone. Fastify marks the errors of bodies that it reads itself so.
    const fail = (error: Error) => settle(Object.assign(error, { statusCode: 400 }))
    payload.on('data', refuse).on('end', finish).on('error', fail)
  })
}

/**
 * Leaves a type on a request only when it is JSON's and there may be a body: the type of nothing does not matter, and
 * any other goes to the parser that looks whether there is something.
 */
export const settleBodyType = ({ headers }: IncomingMessage): void => {
  const type = headers['content-type']
  if (type === undefined) return
  const length = headers['content-length']
  const isEmpty = length === undefined ? headers['transfer-encoding'] === undefined : Number(length) === 0
  if (isEmpty || !isJson(type) || isEncoded(headers['content-encoding'])) delete headers['content-type']
}

const isEncoded = (encoding: string | undefined) => encoding !== undefined && encoding.toLowerCase() !== 'identity'

const JSON_TYPE = /^application\/json\s*(?:;|$)/i
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i

const isJson = (type: string): boolean => {
  if (type === 'application/json') return true
  const charset = CHARSET.exec(type)?.[1]
  return JSON_TYPE.test(type) && (charset === undefined || /^utf-?8$/i.test(charset))
}
