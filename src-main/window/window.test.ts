import { describe, expect, it } from 'vitest'
import { isOwnPage, mayOpenOutside } from './may-leave.ts'
import { createRecentInput, isDeliberate } from './recent-input.ts'
import { atMostPerMinute } from './reload-limit.ts'
import { placeWindow } from './window-place.ts'

const SCREEN = { x: 0, y: 25, width: 1920, height: 1055 }
const SECOND = { x: 1920, y: 0, width: 1280, height: 1024 }
const at = (x: number, y: number, width = 1000, height = 700) => ({ bounds: { x, y, width, height }, maximized: false })

describe('the window', () => {
  it('opens in the centre of the primary screen without a stored or valid position', () => {
    const middle = { bounds: { x: 320, y: 153, width: 1280, height: 800 }, maximized: false }
    for (const stored of [undefined, null, {}, { bounds: { x: 'a' } }, { ...at(0, 0, -5), maximized: false }]) {
      expect(placeWindow(stored, [SECOND, SCREEN], SCREEN)).toEqual(middle)
    }
  })

  it('opens at its last position, on any screen', () => {
    expect(placeWindow(at(100, 100), [SCREEN], SCREEN)).toEqual(at(100, 100))
    expect(placeWindow(at(2000, 10), [SECOND, SCREEN], SCREEN)).toEqual(at(2000, 10))
    expect(placeWindow({ ...at(100, 100), maximized: true }, [SCREEN], SCREEN).maximized).toBe(true)
    expect(placeWindow(at(-800, 100), [SCREEN], SCREEN)).toEqual(at(-800, 100))
  })

  it('moves back to the primary screen if its own is gone, or its upper edge is outside', () => {
    const middle = at(460, 203)
    for (const lost of [at(3500, 10), at(-950, 100), at(100, -300), at(100, 1070)]) {
      expect(placeWindow(lost, [SECOND, SCREEN], SCREEN)).toEqual(middle)
    }
  })

  it('is not larger than its screen, and not too small', () => {
    expect(placeWindow(at(0, 25, 5000, 5000), [SCREEN], SCREEN).bounds).toEqual(SCREEN)
    expect(placeWindow(at(10, 30, 5, 5), [SCREEN], SCREEN).bounds).toEqual({ x: 10, y: 30, width: 640, height: 480 })
  })

  it('shows only its own page', () => {
    expect(
      ['app://dashboard', 'app://dashboard/', 'app://dashboard/settings'].every((url) =>
        isOwnPage(url, 'app://dashboard'),
      ),
    ).toBe(true)
    for (const url of [
      'app://dashboard.evil/',
      'app://dashboardx',
      'https://app//dashboard/',
      'file:///etc/passwd',
      'about:blank',
    ]) {
      expect(isOwnPage(url, 'app://dashboard')).toBe(false)
    }
  })

  it('opens nothing with the system that could run code', () => {
    expect(mayOpenOutside('https://example.com/a?b#c', 3477)).toBe(true)
    expect(mayOpenOutside('http://localhost:3477/executions', 3477)).toBe(true)
    for (const url of [
      'http://example.com/',
      'http://localhost:3478/',
      'http://localhost:3477@evil.example/',
      'https://ada:secret@example.com/',
      'file:///etc/passwd',
      '\\\\host\\share',
      'smb://host/share',
      'javascript:alert(1)',
      'ms-msdt:/id',
      'wes://executions/exe_1',
      '',
    ]) {
      expect(mayOpenOutside(url, 3477)).toBe(false)
    }
    expect(mayOpenOutside('http://localhost:3477/', undefined)).toBe(false)
  })

  it('opens a link outside only within a second of a key press or a click', () => {
    let now = 0
    const input = createRecentInput(() => now)
    expect(input.isRecent()).toBe(false)
    input.saw()
    now = 1_000
    expect(input.isRecent()).toBe(true)
    now = 1_001
    expect(input.isRecent()).toBe(false)
    expect(
      ['mouseDown', 'mouseUp', 'keyDown', 'mouseMove', 'mouseWheel', 'keyUp', 'mouseEnter'].map(isDeliberate),
    ).toEqual([true, true, true, false, false, false, false])
  })

  it('is reloaded at most a few times a minute', () => {
    let now = 0
    const mayReload = atMostPerMinute(3, () => now)
    expect([mayReload(), mayReload(), mayReload(), mayReload()]).toEqual([true, true, true, false])
    now = 59_999
    expect(mayReload()).toBe(false)
    now = 60_000
    expect(mayReload()).toBe(true)
  })
})
