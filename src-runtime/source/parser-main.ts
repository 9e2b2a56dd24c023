// A thread that parses what may nest deeply. Whoever asks waits for it without running anything else.

import { parentPort, type MessagePort } from 'node:worker_threads'
import { parseSync, type OxcError, type ParserOptions } from 'oxc-parser'
import { messageOf } from '../shared/message-of.ts'

export type ToParse = {
  readonly path: string
  readonly code: string
  readonly sourceType: NonNullable<ParserOptions['sourceType']>
  /** Set when the answer is in the port. */
  readonly done: Int32Array
  readonly port: MessagePort
}

export type ParsedApart =
  | {
      /** As JSON: a message that nests as deeply would not be read. */
      readonly program: string
      readonly errors: readonly OxcError[]
      readonly importCalls: readonly { readonly start: number; readonly end: number }[]
    }
  | { readonly error: string }

// oxlint-disable-next-line no-extend-native -- JSON has none, nobody asks for the value of one, and a replacer takes longer
Object.defineProperty(BigInt.prototype, 'toJSON', { value: () => null })

const parsed = ({ path, code, sourceType }: ToParse): ParsedApart => {
  try {
    const { program, errors, module } = parseSync(path, code, { sourceType, range: false })
    return {
      program: JSON.stringify(program),
      errors,
      importCalls: module.dynamicImports.map(({ start, end }) => ({ start, end })),
    }
  } catch (error) {
    return { error: messageOf(error) }
  }
}

parentPort!.on('message', (asked: ToParse) => {
  asked.port.postMessage(parsed(asked))
  Atomics.store(asked.done, 0, 1)
  Atomics.notify(asked.done, 0)
})
