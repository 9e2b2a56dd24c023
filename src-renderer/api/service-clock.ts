// What time it is at a service, by the Date header of its answers: the clock of this machine may be hours off.

import type { Connection } from './connection.ts'

/** How far a service's clock may be ahead of this machine's. */
type Bounds = { readonly fromMs: number; readonly toMs: number }

/** A Date header has whole seconds, and may be made a second before it is sent. */
const COARSE_MS = 2_000

const clocks = new Map<string, Bounds>()
/** When the last answer came, by this machine's clock. */
const answers = new Map<string, number>()

/** Takes an answer, and when it was asked for and received here. */
export const hearServiceTime = (
  basePath: string,
  { ok, headers }: Pick<Response, 'ok' | 'headers'>,
  askedAt: number,
  receivedAt: number,
): void => {
  // What is in front of a hosted service answers errors of its own, with its own time.
  if (!ok) return
  answers.set(basePath, receivedAt)
  const at = Date.parse(headers.get('date') ?? '')
  const heard = { fromMs: at - receivedAt, toMs: at + COARSE_MS - askedAt }
  // This machine's clock was set in between, or there is no such header.
  if (!(heard.fromMs <= heard.toMs)) return
  const known = clocks.get(basePath) ?? heard
  const both = { fromMs: Math.max(known.fromMs, heard.fromMs), toMs: Math.min(known.toMs, heard.toMs) }
  // They exclude each other once one of the clocks was set.
  clocks.set(basePath, both.fromMs <= both.toMs ? both : heard)
}

/** The least that explains all answers: 0 where this machine's clock may be right. */
export const serviceAheadMs = ({ basePath }: Pick<Connection, 'basePath'>): number => {
  const { fromMs, toMs } = clocks.get(basePath) ?? { fromMs: 0, toMs: 0 }
  return Math.min(Math.max(0, fromMs), toMs)
}

export const serviceNow = (connection: Pick<Connection, 'basePath'>): number => Date.now() + serviceAheadMs(connection)

/** The earliest that it may be at the service, for what is looked for since now: up to 2 s before what it is. */
export const earliestServiceNow = ({ basePath }: Pick<Connection, 'basePath'>): number =>
  Date.now() + (clocks.get(basePath)?.fromMs ?? 0)

/** The service's time at which its last answer came; undefined before the first. */
export const lastAnswerAt = (connection: Pick<Connection, 'basePath'>): number | undefined => {
  const at = answers.get(connection.basePath)
  return at === undefined ? undefined : at + serviceAheadMs(connection)
}
