// Whether anything answers at an address of workers.

import { connect } from 'node:http2'

/**
 * `connectMs`: until there is a connection, which the system makes for any process that is there. `answerMs`: from then on; a worker that
 * has too little processor time answers late.
 */
export type AnswerLimits = { readonly connectMs: number; readonly answerMs: number }

/** Takes an answer that comes after `late` was said, for `forMs`. */
export type LateAnswers = { readonly forMs: number; readonly take: () => void }

/** `late`: there was a connection, and no answer in time. `nobody`: there was none, or whoever answered is no worker. */
export type Heard = 'answer' | 'late' | 'nobody'

/** Asks as Restate does, over HTTP/2. Never rejects, also when `signal` aborts before. */
export const askWorker = (
  workerUrl: string,
  { connectMs, answerMs }: AnswerLimits,
  signal?: AbortSignal,
  lateAnswers?: LateAnswers,
): Promise<Heard> =>
  new Promise((resolve) => {
    const { origin, pathname } = new URL(workerUrl)
    const session = connect(origin)
    let isLate = false
    const settle = (heard: Heard): void => {
      clearTimeout(late)
      signal?.removeEventListener('abort', giveUp)
      session.destroy()
      if (isLate && heard === 'answer') lateAnswers?.take()
      resolve(heard)
    }
    const giveUp = (): void => settle('nobody')
    let late = setTimeout(giveUp, connectMs)
    signal?.addEventListener('abort', giveUp)
    session.once('connect', () => {
      clearTimeout(late)
      late = setTimeout(() => {
        if (lateAnswers === undefined) return settle('late')
        isLate = true
        late = setTimeout(giveUp, lateAnswers.forMs)
        resolve('late')
      }, answerMs)
    })
    session.on('error', giveUp)
    // Something in front of workers, such as a load balancer, makes connections also when none is there, and closes them.
    session.once('close', giveUp)
    const request = session.request({ ':path': `${pathname.replace(/\/$/, '')}/health` })
    request.on('error', giveUp)
    request.on('response', (headers) => settle(headers[':status'] === 200 ? 'answer' : 'nobody'))
    request.end()
    if (signal?.aborted === true) giveUp()
  })
