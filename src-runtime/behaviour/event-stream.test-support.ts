// Reads server-sent events.

export type StreamedEvent = {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retry?: string
  readonly comment?: string
}

export type Followed = {
  readonly answer: Response
  /** The next part of the stream, with or without data; `undefined` when the stream has ended. */
  nextBlock(): Promise<StreamedEvent | undefined>
  /** The next one with data. */
  next(): Promise<StreamedEvent | undefined>
  /** Of the newest event; waits for the first one. */
  lastId(): Promise<string>
  leave(): void
}

const fieldsOf = (block: string): StreamedEvent =>
  Object.fromEntries(
    block.split('\n').flatMap((line) => {
      const [, name = 'comment', value] = /^(id|event|data|retry)?: ?(.*)$/.exec(line) ?? []
      return value === undefined ? [] : [[name, value]]
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
    nextBlock,
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
