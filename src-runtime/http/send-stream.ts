// Server-sent events. A reader that does not keep up is let go: it resumes with the id of what it saw last.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { STREAM_BACKLOG_LIMIT_BYTES } from '../contract/limits.ts'
import type { EventStream } from '../contract/operations.ts'
import { STREAM_HEADERS } from './headers.ts'

export const sendStream = (request: FastifyRequest, reply: FastifyReply, stream: EventStream): void => {
  reply.hijack()
  const response = reply.raw
  response.writeHead(200, STREAM_HEADERS)
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  const leave = stream({
    write(text) {
      if (response.destroyed || response.writableEnded) return false
      response.write(text)
      if (response.writableLength <= STREAM_BACKLOG_LIMIT_BYTES) return true
      response.destroy()
      return false
    },
    end: () => void response.end(),
  })
  response.once('close', leave)
}
