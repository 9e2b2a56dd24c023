import { describe, expect, it } from 'vitest'
import { deployed, until } from './effect-project.test-support.ts'

describe('the output of an effect', () => {
  it('is logged for its own attempt, in order, by level', async () => {
    const rig = deployed(`export const talk = async (name, { log }) => {
      console.log(name, { a: [1] }, 'x\\ny')
      await new Promise((resolve) => setTimeout(resolve, 5))
      for (const level of ['debug', 'info', 'warn', 'error']) { console[level](level, name); log[level]('%s %j', level, { name }) }
      const timer = new Promise((resolve) => setTimeout(() => resolve(console.log('timer', name))))
      process.stdout.write('part ')
      await timer
      const output = Buffer.from('whole €\\nrest')
      for (const part of [output.subarray(0, 7), output.subarray(7)]) process.stdout.write(part)
      await new Promise((resolve) => process.stderr.write('to stderr\\n', resolve))
    }`)
    const calls = ['a', 'b', 'c'].map((name) => ({ name, call: rig.call('talk', name) }))
    for (const { name, call } of calls) {
      expect(await call.outcome).toEqual({ kind: 'completed', data: '{}' })
      expect(call.logs).toEqual([
        { level: 'info', message: `${name} { a: [ 1 ] } x\ny` },
        ...(['debug', 'info', 'warn', 'error'] as const).flatMap((level) => [
          { level, message: `${level} ${name}` },
          { level, message: `${level} {"name":"${name}"}` },
        ]),
        { level: 'info', message: `timer ${name}` },
        { level: 'info', message: 'part whole €' },
        { level: 'error', message: 'to stderr' },
        { level: 'info', message: 'rest' },
      ])
    }
  })

  it('is quick for a line of many characters that come one by one', async () => {
    const rig = deployed(`export const bar = () => { for (let at = 0; at < 250_000; at++) process.stdout.write('.') }`)
    const bar = rig.call('bar')
    await bar.outcome
    expect(bar.logs).toEqual([{ level: 'info', message: '.'.repeat(250_000) }])
  })

  it('may use all methods of console, and groups and counts are separate for each attempt', async () => {
    const rig = deployed(`export const talk = async (name) => {
      console.group('group', name)
      await new Promise((resolve) => setTimeout(resolve, 10))
      console.count('calls')
      console.table([{ a: 1 }])
      console.groupEnd()
      console.assert(1 === 2, 'odd')
      console.dir({ deep: { er: 1 } })
      const { log } = console
      log('taken apart')
    }`)
    const [one, other] = [rig.call('talk', 'one'), rig.call('talk', 'other')]
    await Promise.all([one.outcome, other.outcome])
    for (const [name, { logs }] of [
      ['one', one],
      ['other', other],
    ] as const) {
      expect(logs.map(({ message }) => message)).toEqual([
        `group ${name}`,
        '  calls: 1',
        expect.stringMatching(/^ {2}┌[^]*│ 0 {7}│ 1 │[^]*┘$/),
        'Assertion failed: odd',
        '{ deep: { er: 1 } }',
        'taken apart',
      ])
    }
  })

  it('is limited for each attempt, with a count of dropped entries', async () => {
    const rig = deployed(
      `export const lines = (count) => { for (let at = 0; at < count; at++) console.log('line', at) }
       export const bytes = () => { console.log('x'.repeat(601)); console.log('ü'.repeat(600)); console.log('more') }
       export const endless = () => { for (let at = 0; at < 100; at++) process.stdout.write('y'.repeat(100)) }`,
      { logEntries: 10, logBytes: 1_000 },
    )
    const many = rig.call('lines', 5_000)
    await many.outcome
    expect(many.logs).toHaveLength(11)
    expect(many.logs.slice(9)).toEqual([
      { level: 'info', message: 'line 9' },
      { level: 'warn', message: '4990 more log entries were dropped' },
    ])
    const few = rig.call('lines', 10)
    await few.outcome
    expect(few.logs).toHaveLength(10)
    const large = rig.call('bytes')
    await large.outcome
    expect(large.logs.map(({ message }) => message)).toEqual([
      'x'.repeat(601),
      `${'ü'.repeat(199)} … (cut)`,
      '1 more log entries were dropped',
    ])
    const endless = rig.call('endless')
    await endless.outcome
    expect(endless.logs.reduce((sum, { message }) => sum + message.length, 0)).toBeLessThan(1_200)
  })

  it('is short for attempts behind the hundredth', async () => {
    const rig = deployed(`export const lines = () => { for (let at = 0; at < 100; at++) console.log('line', at) }`)
    const lengthOf = async (attempt: number): Promise<number> => {
      const call = rig.call('lines', 0, { attempt })
      await call.outcome
      return call.logs.length
    }
    expect([await lengthOf(100), await lengthOf(101)]).toEqual([100, 11])
  })

  it('is complete even if its process ends right after', async () => {
    const rig = deployed(`export const bad = () => { console.log('last words'); process.abort() }`)
    const call = rig.call('bad')
    expect(await call.outcome).toMatchObject({ kind: 'failed' })
    expect(call.logs).toEqual([{ level: 'info', message: 'last words' }])
  })

  it('goes to the runtime’s log if no attempt is running', async () => {
    const rig = deployed(`console.log('while loading')
      export const leave = () => { setTimeout(() => { console.log('after all'); process.stderr.write('in ' + 'parts\\n') }, 50) }
      export const flood = () => { setTimeout(() => { for (let at = 0; at < 5000; at++) console.log('flood') }, 50) }`)
    const call = rig.call('leave')
    await call.outcome
    await until(() => rig.lines.some(({ msg }) => msg === 'in parts'))
    expect(call.logs).toEqual([])
    const { folder } = rig
    expect(rig.lines).toEqual([
      expect.objectContaining({ level: 30, msg: 'while loading', folder }),
      expect.objectContaining({ level: 30, msg: 'after all', folder }),
      expect.objectContaining({ level: 40, msg: 'in parts', folder }),
    ])
    await rig.result('flood')
    await until(() => rig.lines.some(({ msg }) => msg === 'flood'))
    await rig.hosts.stop()
    expect(rig.lines.filter(({ msg }) => msg === 'flood').length).toBeLessThan(1_000)
    expect(rig.lines.some(({ msg }) => /^\d+ more lines of the effect host/.test(msg))).toBe(true)
  })

  it('does not flood the runtime’s log with errors that belong to no attempt', async () => {
    const rig = deployed(`for (let at = 0; at < 5000; at++) Promise.reject(new Error('stray ' + at))
      export const later = () => new Promise((resolve) => setTimeout(resolve, 10))`)
    await rig.result('later')
    await rig.hosts.stop()
    expect(rig.lines.filter(({ msg }) => msg.includes('outside of any attempt: stray'))).toHaveLength(1)
    expect(rig.lines.some(({ msg }) => /^\d+ more lines of the effect host/.test(msg))).toBe(true)
  })

  it('cannot be faked: effects cannot reach the channel to the runtime', async () => {
    const rig = deployed(`export const look = () => [typeof process.send, process.disconnect()]`)
    expect(await rig.result('look')).toEqual(['undefined', null])
  })
})
