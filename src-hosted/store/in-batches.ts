// Asks together what is asked at the same moment. Each statement costs this process and PostgreSQL several times what one
// more row in it costs.

import { storedNothing } from './postgres-errors.ts'

/** What comes while a batch is under way waits for the next one, but no longer than this, unless told otherwise. */
export const LONGEST_WAIT_MS = 10
/** In place of that time: a batch waits until the one before has ended. */
export const ONE_AFTER_ANOTHER = 2 ** 31 - 1

/** What the questions of a batch may be together; a longer one is a batch of its own. */
type LengthLimit<Question> = { readonly most: number; readonly of: (question: Question) => number }

const NO_LIMIT: LengthLimit<unknown> = { most: Infinity, of: () => 0 }

/** `run` answers all questions of a batch, in their order. A question is never added to a batch that is under way. */
export const inBatches = <Question, Answer>(
  most: number,
  run: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  longestWaitMs = LONGEST_WAIT_MS,
  length: LengthLimit<Question> = NO_LIMIT,
): ((question: Question) => Promise<Answer>) => {
  type Asked = { readonly question: Question; resolve(answer: Answer): void; reject(error: unknown): void }
  const waiting: Asked[] = []
  let isUnderWay = false

  const askAll = async (batch: readonly Asked[]): Promise<void> => {
    try {
      const answers = await run(batch.map(({ question }) => question))
      for (const [index, { resolve }] of batch.entries()) resolve(answers[index]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  const takeBatch = (): readonly Asked[] => {
    let taken = 0
    const isOver = ({ question }: Asked, index: number): boolean => {
      taken += length.of(question)
      return index === most || (index > 0 && taken > length.most)
    }
    const end = waiting.findIndex(isOver)
    return waiting.splice(0, end === -1 ? waiting.length : end)
  }

  const begin = async (): Promise<void> => {
    const batch = takeBatch()
    if (batch.length === 0) {
      isUnderWay = false
      return
    }
    let isOver = false
    const over = (): void => {
      if (!isOver) beginSoon()
      isOver = true
    }
    const late = setTimeout(over, longestWaitMs)
    await askAll(batch)
    clearTimeout(late)
    over()
  }

  /** Once everything has been read that has arrived by now. */
  const beginSoon = (): void => void setImmediate(() => void begin())

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject })
      if (!isUnderWay) beginSoon()
      isUnderWay = true
    })
}

/**
 * Rows that are asked for by name at the same moment, in one read; `undefined` where there is none. If PostgreSQL refuses it,
 * each is read alone: one of them may be at fault.
 */
export const readTogether = <Name, Row>(
  most: number,
  nameOf: (row: Row) => Name,
  read: (names: readonly Name[]) => Promise<readonly Row[]>,
): ((name: Name) => Promise<Row | undefined>) => {
  const readAll = async (names: readonly Name[]): Promise<ReadonlyMap<Name, Row>> =>
    new Map((await read(names)).map((row) => [nameOf(row), row]))

  const readMany = inBatches(most, async (names: readonly Name[]) => {
    try {
      const rows = await readAll(names)
      return names.map((name) => async () => rows.get(name))
    } catch (error) {
      if (names.length === 1 || !storedNothing(error)) throw error
      return names.map((name) => async () => (await readAll([name])).get(name))
    }
  })
  return async (name) => (await readMany(name))()
}
