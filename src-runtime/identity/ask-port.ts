// Asks whatever listens on a port of this computer for JSON. Nobody knows yet who it is: the request has no secret.

import { get } from 'node:http'

/** What a runtime says of a large project, with an error for each of its files, is long. */
const LONGEST_ANSWER = 1_048_576

/** Undefined if no JSON arrives in time. */
export const askPort = (port: number, path: string, limitMs: number): Promise<unknown> =>
  new Promise((resolve) => {
    const signal = AbortSignal.timeout(limitMs)
    const settle = (text: string | undefined): void => resolve(text === undefined ? undefined : parseJson(text))
    const request = get({ host: '127.0.0.1', port, path, agent: false, signal }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        if (text.length > LONGEST_ANSWER) request.destroy(new Error('the answer is too long'))
      })
      response.on('end', () => settle(text))
      response.on('error', () => settle(undefined))
    })
    request.on('error', () => settle(undefined))
  })

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
