import { describe, expect, it } from 'vitest'
import { createQuitting } from './quitting.ts'

const createApp = ({ listensToAllClosed = false } = {}) => {
  const told: string[] = []
  const prevented = new Set<string>()
  const quitting = createQuitting({
    ask(event) {
      told.push(event)
      return prevented.delete(event)
    },
    allClosed() {
      told.push('window-all-closed')
      return listensToAllClosed
    },
    end: (code) => told.push(`end ${code}`),
  })
  const open = (name: string, mayClose: () => boolean = () => true) => {
    const destroy = () => {
      told.push(`${name} closed`)
      quitting.closed(window)
    }
    const window = {
      close() {
        told.push(`${name} close`)
        if (!mayClose()) return false
        destroy()
        return true
      },
      destroy,
    }
    quitting.opened(window)
    return window
  }
  return { ...quitting, told, open, prevent: (event: string) => prevented.add(event) }
}

describe('an app that quits', () => {
  it('asks, closes its windows, asks again, and ends', () => {
    const app = createApp()
    app.open('one')
    app.open('two')
    app.quit()
    expect(app.told).toEqual([
      'before-quit',
      'one close',
      'one closed',
      'two close',
      'two closed',
      'will-quit',
      'end 0',
    ])
  })

  it('continues if a listener prevents it, in either event', () => {
    const app = createApp()
    app.prevent('before-quit')
    app.quit()
    app.prevent('will-quit')
    app.quit()
    expect(app.told).toEqual(['before-quit', 'before-quit', 'will-quit'])
    app.quit()
    expect(app.told.slice(3)).toEqual(['before-quit', 'will-quit', 'end 0'])
  })

  it('continues if a window stays open, and can quit again', () => {
    const app = createApp()
    let mayClose = false
    app.open('stubborn', () => mayClose)
    app.open('other')
    app.quit()
    expect(app.told).toEqual(['before-quit', 'stubborn close', 'other close', 'other closed'])
    mayClose = true
    app.quit()
    expect(app.told.slice(4)).toEqual(['before-quit', 'stubborn close', 'stubborn closed', 'will-quit', 'end 0'])
  })

  it('exits with its code without events', () => {
    const app = createApp()
    app.open('stubborn', () => false)
    app.exit(3)
    app.exit(4)
    app.quit()
    expect(app.told).toEqual(['stubborn closed', 'end 3'])
  })
})

describe('when its last window closes, an app', () => {
  it('quits', () => {
    const app = createApp()
    app.open('one').close()
    expect(app.told).toEqual(['one close', 'one closed', 'window-all-closed', 'before-quit', 'will-quit', 'end 0'])
  })

  it('continues if it has a listener for that', () => {
    const app = createApp({ listensToAllClosed: true })
    app.open('one').close()
    expect(app.told).toEqual(['one close', 'one closed', 'window-all-closed'])
  })
})
