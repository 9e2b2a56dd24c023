import { describe, expect, it, vi } from 'vitest'
import type { HistoryEntry } from '#sdk/index.ts'
import { createJournal } from './journal.ts'
import { createJournalReader } from './journal-reader.ts'
import { serve, written } from './journals.test-support.ts'

const logs = (count: number, message = 'line'): readonly HistoryEntry[] =>
  written(
    ...Array.from({ length: count }, (_, index) => ({
      afterMs: index,
      type: 'log' as const,
      data: { level: 'info', message },
    })),
  )

const setUp = (history: HistoryEntry[]) => {
  const reader = createJournalReader(createJournal())
  const served = serve(history)
  const controller = new AbortController()
  return { reader, ...served, controller, catchUp: () => reader.catchUp(served.readPage, controller.signal) }
}

describe('reading a history', () => {
  it('reads all pages, and reports that it has everything', async () => {
    const { reader, catchUp, asked } = setUp([...logs(1_050)])
    await catchUp()
    expect(reader.journal.lines.map(({ position }) => position)).toEqual(logs(1_050).map(({ position }) => position))
    expect(reader.journal.isWhole()).toBe(true)
    expect(asked).toHaveLength(6)
  })

  it('reads only new entries', async () => {
    const all = logs(3_000)
    const history = all.slice(0, 1_150)
    const { reader, catchUp, asked } = setUp(history)
    await catchUp()
    const before = asked.length
    for (let length = 1_151; length <= 1_400; length += 1) {
      history.push(all[length - 1]!)
      await catchUp()
    }
    expect(reader.journal.lines).toHaveLength(1_400)
    // One request for each change, and another where the last page had become long.
    expect(asked.length - before).toBeLessThan(250 + 250 / 30 + 2)
  })

  it('finds nothing new by reading only the last page again', async () => {
    const { reader, catchUp, asked } = setUp([...logs(400)])
    await catchUp()
    await catchUp()
    expect(reader.journal.lines).toHaveLength(400)
    expect(asked).toHaveLength(3)
  })

  it('combines requests while it reads, and then reads again', async () => {
    const history = [...logs(300)]
    const { reader, catchUp, asked } = setUp(history)
    await Promise.all(Array.from({ length: 50 }, catchUp))
    expect(reader.journal.lines).toHaveLength(300)
    expect(asked).toHaveLength(3)
  })

  it('continues after a failure', async () => {
    const { reader, readPage, controller } = setUp([...logs(600)])
    let failing = true
    const flaky: typeof readPage = async (page) => {
      if (failing && page.cursor === 'behind 400') throw new Error('no answer')
      return readPage(page)
    }
    await expect(reader.catchUp(flaky, controller.signal)).rejects.toThrow('no answer')
    expect(reader.journal.lines).toHaveLength(400)
    expect(reader.journal.isWhole()).toBe(false)
    failing = false
    await reader.catchUp(flaky, controller.signal)
    expect(reader.journal.lines).toHaveLength(600)
  })

  it('stops when it is no longer needed', async () => {
    const { reader, readPage, controller, asked } = setUp([...logs(2_000)])
    const stopping: typeof readPage = async (page) => {
      if (page.cursor === 'behind 400') controller.abort()
      return readPage(page)
    }
    await reader.catchUp(stopping, controller.signal)
    expect(asked).toHaveLength(3)
    expect(reader.journal.isWhole()).toBe(false)
    await reader.catchUp(readPage, new AbortController().signal)
    expect(reader.journal.lines).toHaveLength(2_000)
  })

  it('pauses after very much data, and continues on request', async () => {
    const large = 'x'.repeat(1024 * 1024)
    const { reader, catchUp } = setUp([
      ...logs(200, large),
      ...logs(200, large).map((entry) => ({ ...entry, position: entry.position + 200 })),
    ])
    await catchUp()
    expect(reader.journal.isPaused()).toBe(true)
    expect(reader.journal.lines).toHaveLength(200)
    const before = reader.journal.version()
    reader.goOn()
    expect(reader.journal.isPaused()).toBe(false)
    expect(reader.journal.version()).toBeGreaterThan(before)
    await catchUp()
    expect(reader.journal.lines).toHaveLength(400)
    // All of it is there: there is no rest to ask for.
    expect(reader.journal.isPaused()).toBe(false)
    expect(reader.journal.isWhole()).toBe(true)
  })

  it('finds the page of an entry', async () => {
    const { reader, catchUp } = setUp([...logs(450)])
    await catchUp()
    expect(reader.journal.pageOf(1)).toEqual({ first: 1, cursor: null })
    expect(reader.journal.pageOf(200)).toEqual({ first: 1, cursor: null })
    expect(reader.journal.pageOf(201)).toEqual({ first: 201, cursor: 'behind 200' })
    expect(reader.journal.lineAt(450)?.position).toBe(450)
    expect(reader.journal.lineAt(451)).toBeUndefined()
  })

  it('calls its readers at once, then at the rate of the screen, and at the end', () => {
    vi.useFakeTimers()
    try {
      const journal = createJournal()
      const heard = vi.fn()
      journal.subscribe(heard)
      const [first, second, ...others] = logs(100)
      journal.append([first!], null)
      journal.append([second!], null)
      expect(heard).toHaveBeenCalledTimes(1)
      journal.setExtent('whole')
      expect(heard).toHaveBeenCalledTimes(2)
      for (const entry of others) journal.append([entry], null)
      expect(heard).toHaveBeenCalledTimes(2)
      vi.advanceTimersByTime(100)
      expect(heard).toHaveBeenCalledTimes(3)
      expect(journal.version()).toBe(3)
    } finally {
      vi.useRealTimers()
    }
  })
})
