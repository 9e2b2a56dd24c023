// Opens connections on which the runtime proves that it is ours. A port proves nothing: the runtime may just have died,
// and another process that listens there now must not get its requests.

import { randomBytes } from 'node:crypto'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { isProof, type Owner } from '../../src-runtime/identity/prove-identity.ts'

/** The process that answers is not our runtime. */
export class NotOursError extends Error {
  override readonly name = 'NotOursError'
}

const PROOF_LIMIT_MS = 1_500
const ANSWER_LIMIT_BYTES = 16_384
const HOST = '127.0.0.1'

export const createProvenAgent = (owner: Owner): Agent => new ProvenAgent(owner)

class ProvenAgent extends Agent {
  readonly #owner: Owner

  constructor(owner: Owner) {
    super({ keepAlive: true, keepAliveMsecs: 10_000 })
    this.#owner = owner
  }

  override createConnection(
    _options: unknown,
    made?: (error: Error | null, connection: Duplex) => void,
  ): Duplex | null | undefined {
    connectProven(this.#owner).then(
      (socket) => made?.(null, socket),
      // Node needs only the error here; its types also require a stream.
      (error: unknown) => made?.(error as Error, undefined as unknown as Duplex),
    )
    return undefined
  }
}

const connectProven = (owner: Owner): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: HOST, port: owner.port, noDelay: true })
    const challenge = randomBytes(32).toString('base64url')
    let answer = Buffer.alloc(0)

    const fail = (error: Error): void => {
      settle()
      socket.destroy()
      reject(error)
    }
    const late = setTimeout(
      () => fail(new NotOursError(`port ${owner.port} did not prove itself in time`)),
      PROOF_LIMIT_MS,
    )
    const onEnd = (): void => fail(new NotOursError(`port ${owner.port} closed the connection`))
    const onData = (bytes: Buffer): void => {
      answer = Buffer.concat([answer, bytes])
      if (answer.length > ANSWER_LIMIT_BYTES) return fail(new NotOursError('too long an answer'))
      const body = wholeBody(answer)
      if (body === undefined) return
      if (!isProof(body.json, challenge, owner)) return fail(new NotOursError(`port ${owner.port} is not our runtime`))
      settle()
      resolve(socket)
    }
    const settle = (): void => {
      clearTimeout(late)
      socket.off('data', onData).off('end', onEnd).off('error', fail)
    }
    socket.on('data', onData).on('end', onEnd).on('error', fail)
    socket.write(
      `GET /healthz?challenge=${challenge} HTTP/1.1\r\nHost: ${HOST}:${owner.port}\r\nAccept: application/json\r\n\r\n`,
    )
  })

/** The body of a complete answer. Our runtime always sends its length. */
const wholeBody = (answer: Buffer): { readonly json: unknown } | undefined => {
  const headEnd = answer.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const head = answer.subarray(0, headEnd).toString('latin1')
  const length = Number(/^content-length: *(\d+) *$/im.exec(head)?.[1])
  const body = answer.subarray(headEnd + 4)
  if (!head.startsWith('HTTP/1.1 200 ') || !Number.isSafeInteger(length) || body.length > length)
    return { json: undefined }
  if (body.length < length) return undefined
  try {
    return { json: JSON.parse(body.toString('utf8')) as unknown }
  } catch {
    return { json: undefined }
  }
}
