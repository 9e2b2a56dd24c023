// Reads server-sent events.

export type StreamedEvent = { readonly id?: string; readonly event?: string; readonly data?: string }

export type Followed = {
  readonly answer: Response
  /** The next event with data; `undefined` when the stream has ended. */
  next(): Promise<StreamedEvent | undefined>
  /** Of the newest event; waits for the first one. */
  lastId(): Promise<string>
  leave(): void
}

const fieldsOf = (block: string): StreamedEvent =>
  Object.fromEntries(
    block.split('\n').flatMap((line) => {
      const [, name, value] = /^(id|event|data): ?(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, value]]
    }),
  )

export const followStream = async (url: string, headers: Readonly<Record<string, string>>): Promise<Followed> => {
  const controller = new AbortController()
  const answer = await fetch(url, { headers, signal: controller.signal })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  let lastId: string | undefined
  const nextBlock = async (): Promise<StreamedEvent | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = fieldsOf(text.slice(0, end))
        text = text.slice(end + 2)
        lastId = block.id ?? lastId
        return block
      }
      const { value, done } = await reader.read()
      if (done) return undefined
      text += value
    }
  }
  return {
    answer,
    next: async () => {
      for (;;) {
        const block = await nextBlock()
        if (block === undefined || block.data !== undefined) return block
      }
    },
    lastId: async () => {
      while (lastId === undefined && (await nextBlock()) !== undefined);
      return lastId ?? ''
    },
    leave: () => controller.abort(),
  }
}
