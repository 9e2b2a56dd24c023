// Wraps every handler: checks the sender and the arguments, and turns errors into answers. It never throws, because
// only an error's message would reach the page; answers are `{ ok }` or `{ error }`.

import type { Logger } from 'pino'
import { Check } from 'typebox/schema'
import { RefusedError } from '../refused-error.ts'
import { ARGUMENTS, type CheckedArguments } from './arguments.ts'
import type { Channel, ChannelAnswer, Channels } from './channels.ts'

export type DesktopHandlers = {
  readonly [Name in Channel]: (
    ...args: CheckedArguments[Name]
  ) => Channels[Name]['answer'] | Promise<Channels[Name]['answer']>
}

/** The part of Electron's event that is checked. */
export type Asker = {
  readonly senderFrame: { readonly origin: string; readonly parent: unknown } | null
}

const LARGEST_ARGUMENTS = 65_536

export const createRespond =
  (deps: { readonly handlers: DesktopHandlers; readonly origin: string; readonly log: Logger }) =>
  async (channel: Channel, asker: Asker, args: readonly unknown[]): Promise<ChannelAnswer<unknown>> => {
    const { handlers, origin, log } = deps
    if (!isOurPage(asker, origin)) {
      log.warn({ channel, origin: asker.senderFrame?.origin }, 'a message from another page was refused')
      return refused('forbidden', 'Only the dashboard may send this request.')
    }
    if (!isSmall(args) || !Check(ARGUMENTS[channel], args)) {
      return refused('invalid_request', `Invalid arguments for ${channel}.`)
    }
    try {
      // The table pairs each channel with its arguments; TypeScript cannot follow the pair through a variable.
      const handle = handlers[channel] as (...given: readonly unknown[]) => unknown
      return { ok: await handle(...args) }
    } catch (error) {
      if (error instanceof RefusedError) return refused(error.code, error.message)
      log.error({ err: error, channel }, 'a request of the page failed')
      return refused('internal', error instanceof Error ? error.message : 'The request failed; see the log.')
    }
  }

/** The window's own document: no frame in it, and no document that has been replaced. */
const isOurPage = ({ senderFrame }: Asker, origin: string): boolean =>
  senderFrame !== null && senderFrame.parent === null && senderFrame.origin === origin

const isSmall = (args: readonly unknown[]): boolean => {
  try {
    return JSON.stringify(args).length <= LARGEST_ARGUMENTS
  } catch {
    return false // the page never sends cycles or bigints
  }
}

const refused = (code: string, message: string): { readonly error: { code: string; message: string } } => ({
  error: { code, message },
})
