import { describe, expect, it } from 'vitest'
import { createAdmission, type Turn } from './admission.ts'

const createRig = () => {
  const begun: number[] = []
  const turns = new Map<number, Turn>()
  const programs = new Map<number, string>()
  const begin = (key: number): void => {
    begun.push(key)
    turns.set(key, admission.begin(key, programs.get(key)!))
  }
  const admission = createAdmission((key) => begin(key))
  let keys = 0
  return {
    admission,
    begun,
    turns,
    underWay: (programId: string) => [...turns.keys()].filter((key) => programs.get(key) === programId).length,
    ask: (programId: string, isRecovered = false) => {
      const key = ++keys
      programs.set(key, programId)
      const isAdmitted = admission.admits(key, () => programId, isRecovered)
      if (isAdmitted) begin(key)
      return isAdmitted
    },
    end: (key: number) => {
      turns.get(key)?.end()
      turns.delete(key)
    },
  }
}

describe('admission', () => {
  it('keeps room for other Programs, whatever one Program has queued', () => {
    const rig = createRig()
    for (let index = 0; index < 600; index++) rig.ask('greedy')
    expect(rig.underWay('greedy')).toBe(256)
    expect(rig.ask('modest')).toBe(true)
  })

  it('does not count Executions that wait for their own host, up to a limit per Program', () => {
    const rig = createRig()
    for (let index = 0; index < 1200; index++) {
      rig.ask('slow')
      for (const turn of rig.turns.values()) turn.onAlone()
    }
    expect(rig.underWay('slow')).toBe(256)
    for (let index = 0; index < 256; index++) expect(rig.ask('quick')).toBe(true)
  })

  it('lets others in as soon as an Execution waits for its own host', () => {
    const rig = createRig()
    for (const programId of ['slow', 'other']) for (let index = 0; index < 256; index++) rig.ask(programId)
    expect(rig.ask('quick')).toBe(false)
    rig.turns.get(1)!.onAlone()
    expect(rig.underWay('quick')).toBe(1)
  })

  it('alternates between Programs when all room is in use', () => {
    const rig = createRig()
    for (const programId of ['a', 'b', 'a', 'b']) for (let index = 0; index < 200; index++) rig.ask(programId)
    expect(rig.ask('c')).toBe(false)
    const before = rig.begun.length
    for (let key = 1; key <= 3; key++) rig.end(key)
    expect(new Set(rig.begun.slice(before).map((key) => (key === 801 ? 'c' : 'other')))).toContain('c')
  })

  it('lets an Execution in once, however often it asks while it waits, and again when it asks later', () => {
    const letIn: number[] = []
    const admission = createAdmission((key) => void letIn.push(key))
    const turns = Array.from({ length: 512 }, (_, key) => admission.begin(key, `program ${key % 2}`))
    const asks = (key: number) => admission.admits(key, () => 'waiting')
    expect([asks(600), asks(600)]).toEqual([false, false])
    turns[0]!.end()
    expect(letIn).toEqual([600])
    admission.begin(600, 'waiting').end()
    expect(letIn).toEqual([600])
    admission.begin(700, 'another')
    expect(asks(600)).toBe(false)
    turns[1]!.end()
    expect(letIn).toEqual([600, 600])
  })

  it('lets an Execution through that was deleted, also when all room is in use', () => {
    const { admission } = createRig()
    for (let key = 0; key < 512; key++) admission.begin(key, `program ${key % 2}`)
    expect(admission.admits(600, () => undefined)).toBe(true)
  })

  it('counts no later turn of a recovered Execution that had nothing to deliver', () => {
    const { admission } = createRig()
    for (let key = 1001; key <= 1200; key++) {
      expect(admission.admits(key, () => 'any', true)).toBe(true)
      admission.release(key)
    }
    for (let key = 1001; key <= 1200; key++) admission.begin(key, 'any')
    expect(admission.admits(2000, () => 'any', true)).toBe(true)
  })

  it('admits new work beside what was unfinished at the start', () => {
    const rig = createRig()
    for (let index = 0; index < 4000; index++) rig.ask('any', true)
    expect(rig.turns.size).toBe(128)
    expect(rig.ask('any')).toBe(true)
    expect(rig.ask('another')).toBe(true)
    for (let round = 0; round < 5000 && rig.turns.size > 0; round++) rig.end([...rig.turns.keys()][0]!)
    expect(rig.begun).toHaveLength(4002)
  })
})
