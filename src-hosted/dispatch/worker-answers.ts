// Whether anything answers at an address of workers.

import { connect } from 'node:http2'

/** Asks as Restate does, over HTTP/2. Never rejects. */
export const workerAnswers = (workerUrl: string, withinMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const { origin, pathname } = new URL(workerUrl)
    const session = connect(origin)
    const settle = (answers: boolean): void => {
      clearTimeout(late)
      session.destroy()
      resolve(answers)
    }
    const late = setTimeout(() => settle(false), withinMs)
    session.on('error', () => settle(false))
    const request = session.request({ ':path': `${pathname.replace(/\/$/, '')}/health` })
    request.on('error', () => settle(false))
    request.on('response', (headers) => settle(headers[':status'] === 200))
    request.end()
  })
