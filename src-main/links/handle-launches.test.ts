import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { createLaunchInbox } from './launch-inbox.ts'
import { handleLaunches } from './handle-launches.ts'

const ID = 'exe_01h455vb4pex5vsknk084sn02q'

const rig = (argv: readonly string[] = []) => {
  const inbox = createLaunchInbox()
  const parts = {
    keepForNextStart: vi.fn(() => false),
    showWindow: vi.fn(),
    connections: () => [{ id: 'acme', name: 'Acme EU' }],
    offerRun: vi.fn(),
    refuseLink: vi.fn(),
    showError: vi.fn(),
    log: pino({ level: 'silent' }),
  }
  return { inbox, ...parts, handle: () => handleLaunches(inbox, { argv: [...argv], cwd: '/' }, parts) }
}

describe('a launch', () => {
  it('shows the window if requested', () => {
    const { inbox, handle, showWindow } = rig()
    expect(handle()).toBe(false)
    expect(showWindow).not.toHaveBeenCalled()
    inbox.put({ kind: 'launch', handover: { argv: ['wes', `wes://executions/${ID}`], cwd: '/' } })
    inbox.put({ kind: 'deep_link', link: `wes://executions/${ID}?connection=acme%20eu` })
    expect(showWindow.mock.calls).toEqual([
      [`/c/local/p/default/executions/${ID}`],
      [`/c/acme/p/default/executions/${ID}`],
    ])
  })

  it('shows the unchanged window for an invalid link or message, and refuses the link', () => {
    const { inbox, handle, showWindow, refuseLink } = rig()
    handle()
    inbox.put({ kind: 'deep_link', link: 'wes://executions/cancel-all' })
    inbox.put({ kind: 'launch', handover: { argv: 7 } })
    expect(showWindow.mock.calls).toEqual([[undefined], [undefined]])
    expect(refuseLink).toHaveBeenCalledOnce()
  })

  it('is kept for the next start while the app ends', () => {
    const { inbox, handle, keepForNextStart, showWindow } = rig()
    handle()
    keepForNextStart.mockReturnValue(true)
    inbox.put({ kind: 'launch', handover: { argv: ['wes', 'a.wes-run.json'], cwd: '/home' } })
    expect(keepForNextStart.mock.calls).toEqual([[{ runFile: '/home/a.wes-run.json' }]])
    expect(showWindow).not.toHaveBeenCalled()
  })

  it('handles earlier messages and its own arguments', () => {
    const { inbox, handle, showWindow } = rig([`wes://executions/${ID}`])
    inbox.put({ kind: 'deep_link', link: 'wes://settings' })
    expect(handle()).toBe(true)
    expect(showWindow.mock.calls).toEqual([[`/c/local/p/default/executions/${ID}`], [undefined]])
  })

  it('offers the start of a run file, and reports an invalid one', async () => {
    const folder = temporaryFolder('launch')
    const [good, bad] = [join(folder, 'a.wes-run.json'), join(folder, 'b.wes-run.json')]
    writeFileSync(good, '{"programId":"order","input":1}')
    writeFileSync(bad, 'x')
    const { inbox, handle, offerRun, showError } = rig()
    handle()
    inbox.put({ kind: 'file', path: good })
    inbox.put({ kind: 'file', path: bad })
    inbox.put({ kind: 'file', path: '/etc/passwd' })
    await vi.waitUntil(() => offerRun.mock.calls.length > 0 && showError.mock.calls.length > 0)
    expect(offerRun.mock.calls).toEqual([[{ programId: 'order', text: '{"programId":"order","input":1}' }]])
    expect(showError.mock.calls).toEqual([[`${bad} is not JSON.`]])
  })
})
