import { EventEmitter } from 'node:events'
import type { IpcMain, IpcMainEvent, IpcMainInvokeEvent } from 'electron'
import { createCodec, type Encoded } from '../codec.ts'
import { emulate, type Part } from '../emulate.ts'
import type { ToPage } from '../page/isolated-world.ts'

type InvokeHandler = Parameters<IpcMain['handle']>[1]

const handlersOf = new WeakMap<object, Map<string, InvokeHandler>>()
const codec = createCodec()

class StandInIpcMain extends EventEmitter implements Part<IpcMain> {
  readonly #handlers = new Map<string, InvokeHandler>()
  constructor() {
    super()
    handlersOf.set(this, this.#handlers)
  }
  handle(channel: string, handler: InvokeHandler): void {
    if (this.#handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.#handlers.set(channel, handler)
  }
  handleOnce(channel: string, handler: InvokeHandler): void {
    this.handle(channel, (event, ...args: unknown[]) => {
      this.removeHandler(channel)
      return handler(event, ...args) as unknown
    })
  }
  removeHandler(channel: string): void {
    this.#handlers.delete(channel)
  }
}

export const createIpcMain = (name: string): IpcMain => emulate<IpcMain>()(name, new StandInIpcMain())

export const ipcMain = createIpcMain('ipcMain')

/** Sends a page's message to all of `among`. */
export const emitSent = (among: readonly IpcMain[], channel: string, event: IpcMainEvent, args: Encoded): void => {
  const decoded = codec.decode(args) as readonly unknown[]
  for (const one of among) one.emit(channel, event, ...decoded)
}

/** The answer of the first handler in `among`. */
export const answerInvoke = async (
  among: readonly IpcMain[],
  { id, channel, args }: { readonly id: number; readonly channel: string; readonly args: Encoded },
  event: IpcMainInvokeEvent,
): Promise<ToPage> => {
  const handler = among.map((one) => handlersOf.get(one)?.get(channel)).find((one) => one !== undefined)
  if (handler === undefined) return { op: 'reply', id, channel, error: `Error: No handler registered for '${channel}'` }
  try {
    const result: unknown = await handler(event, ...(codec.decode(args) as unknown[]))
    return { op: 'reply', id, channel, value: codec.encode(result) }
  } catch (error) {
    console.error(`Error occurred in handler for '${channel}':`, error)
    return { op: 'reply', id, channel, error: String(error) }
  }
}

export const encodeArgs = (args: readonly unknown[]): Encoded => codec.encode(args)
