import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { emulate, emulateClass, gap, type Part } from './emulate.ts'

type Real = { keeps(): number; renamed(): void; count: number }
declare class RealClass extends EventEmitter {
  static find(): RealClass
  keeps(): number
  renamed(): void
}

describe('an emulated module', () => {
  it('works where it is emulated, and throws elsewhere', () => {
    const real = emulate<Real>()('real', { keeps: () => 1 })
    expect(real.keeps()).toBe(1)
    expect(() => real.renamed()).toThrow('stand-in: real.renamed is not emulated')
    expect(() => (real.count = 1)).toThrow('stand-in: real.count is not emulated')
    expect('renamed' in real).toBe(false)
  })

  it('may be replaced by a test, awaited and printed', async () => {
    const real = emulate<Real>()('real', { keeps: () => 1 })
    real.keeps = () => 2
    expect((await Promise.resolve(real)).keeps()).toBe(2)
    expect(JSON.stringify(real)).toBe('{}')
  })

  it('may be a class with events that can be extended', () => {
    class Own extends EventEmitter implements Part<RealClass> {
      keeps(): number {
        return 1
      }
    }
    const Emulated = emulateClass<typeof RealClass>()('Own', Own)
    const one = new Emulated()
    let heard = 0
    one.on('event', () => heard++)
    one.emit('event')
    expect([heard, one.keeps()]).toEqual([1, 1])
    expect(() => one.renamed()).toThrow('stand-in: Own#.renamed is not emulated')
    expect(() => Emulated.find()).toThrow('stand-in: Own.find is not emulated')
  })

  it('may be unsupported as a whole', () => {
    const Missing = gap<new () => object>('Missing')
    expect(() => new Missing()).toThrow('stand-in: Missing is not emulated')
    expect(() => gap<Real>('missing').keeps()).toThrow('stand-in: missing is not emulated')
  })

  it('fails the type check if the real one has no such member, or another type', () => {
    class Surplus extends EventEmitter {
      invented(): void {}
    }
    class SurplusStatic extends EventEmitter {
      static invented(): void {}
    }
    const wrong = [
      // @ts-expect-error -- a member that Electron does not have
      () => emulate<Real>()('real', { invented: () => 1 }),
      // @ts-expect-error -- a member of another type
      () => emulate<Real>()('real', { keeps: () => 'text' }),
      // @ts-expect-error -- the same of a class
      () => emulateClass<typeof RealClass>()('Own', Surplus),
      // @ts-expect-error -- and of its static members
      () => emulateClass<typeof RealClass>()('Own', SurplusStatic),
    ]
    expect(wrong).toHaveLength(4)
  })
})
