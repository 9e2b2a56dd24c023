import { EventEmitter } from 'node:events'
import type { Menu, NativeImage, Rectangle, Tray as RealTray } from 'electron'
import { emulateClass, type Part } from '../emulate.ts'

/** Not shown. Tests read its menu by wrapping `Tray.prototype.setContextMenu`, as on the real one. */
class StandInTray extends EventEmitter implements Part<RealTray> {
  #title = ''
  #isDestroyed = false
  constructor(_image: NativeImage | string) {
    super()
  }
  setImage(_image: NativeImage | string): void {
    this.#assertAlive()
  }
  setToolTip(_toolTip: string): void {
    this.#assertAlive()
  }
  setContextMenu(_menu: Menu | null): void {
    this.#assertAlive()
  }
  getTitle(): string {
    return this.#title
  }
  setTitle(title: string): void {
    this.#assertAlive()
    this.#title = title
  }
  popUpContextMenu(): void {}
  closeContextMenu(): void {}
  getBounds(): Rectangle {
    return { x: 0, y: 0, width: 22, height: 22 }
  }
  destroy(): void {
    this.#isDestroyed = true
  }
  isDestroyed(): boolean {
    return this.#isDestroyed
  }
  #assertAlive(): void {
    if (this.#isDestroyed) throw new Error('Tray is destroyed')
  }
}

export const Tray = emulateClass<typeof RealTray>()('Tray', StandInTray)
