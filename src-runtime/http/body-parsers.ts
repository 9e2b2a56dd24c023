// Which bodies are taken: JSON, and empty ones of any type.

import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { unsupportedMediaType } from './answer-error.ts'
import { parseJsonBody } from './json-body.ts'

const OTHER_CHARSET = /;\s*charset\s*=\s*"?(?!utf-?8"?\s*(?:;|$))/i

export const addBodyParsers = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined)
    const type = request.headers['content-type']
    if (type !== undefined && OTHER_CHARSET.test(type)) return done(unsupportedMediaType())
    done(null, parseJsonBody(body))
  })
  app.addContentTypeParser('*', (_request, payload, done) => {
    // Only a body that comes in chunks gets here without a length; it may still be empty.
    const settle = (error?: Error) => {
      payload.off('data', refuse).off('end', finish).off('error', settle)
      done(error ?? null, undefined)
    }
    const refuse = () => settle(unsupportedMediaType())
    const finish = () => settle()
    payload.on('data', refuse).on('end', finish).on('error', settle)
  })
}

/** The type of nothing does not matter: what is left to say is whether a body is needed. */
export const forgetTypeOfEmptyBody = ({ headers }: IncomingMessage): void => {
  const length = headers['content-length']
  const isEmpty = length === undefined ? headers['transfer-encoding'] === undefined : Number(length) === 0
  if (isEmpty) delete headers['content-type']
}
