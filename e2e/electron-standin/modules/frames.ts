import type { IpcMainEvent, IpcMainInvokeEvent, WebContents, WebFrameMain } from 'electron'
import { emulate } from '../emulate.ts'
import type { Frame } from '../page.ts'

/** As Electron has it, `app://dashboard` for a custom scheme, where a URL's own `origin` is the text "null". */
const originOf = (url: string): string => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+/i.exec(url)?.[0] ?? 'null'

export const createFrame = ({ url, isMain }: Frame): WebFrameMain => {
  const frame: WebFrameMain = emulate<WebFrameMain>()('frame', {
    url,
    origin: originOf(url),
    // For an inner frame, only its existence is known.
    parent: isMain ? null : createFrame({ url: '', isMain: true }),
    get top() {
      return isMain ? frame : this.parent!
    },
    detached: false,
    isDestroyed: () => false,
    processId: 1,
    routingId: 1,
  })
  return frame
}

export const createIpcEvent = (contents: WebContents, frame: Frame): IpcMainEvent & IpcMainInvokeEvent =>
  emulate<Omit<IpcMainEvent & IpcMainInvokeEvent, 'type'> & { readonly type: 'frame' }>()('event', {
    type: 'frame' as const,
    sender: contents,
    senderFrame: createFrame(frame),
    frameId: 1,
    processId: 1,
    reply: (channel: string, ...args: unknown[]) => contents.send(channel, ...args),
    defaultPrevented: false,
    preventDefault: () => {},
  })
