import { EventEmitter } from 'node:events'
import type { NativeTheme } from 'electron'
import { emulate, type Part } from '../emulate.ts'

/** The stand-in's system has a light theme. */
class StandInNativeTheme extends EventEmitter implements Part<NativeTheme> {
  #source: NativeTheme['themeSource'] = 'system'
  readonly shouldUseHighContrastColors = false
  readonly inForcedColorsMode = false
  readonly prefersReducedTransparency = false
  readonly shouldUseInvertedColorScheme = false

  get themeSource(): NativeTheme['themeSource'] {
    return this.#source
  }
  set themeSource(source: NativeTheme['themeSource']) {
    if (!['system', 'light', 'dark'].includes(source)) throw new TypeError(`"${source}" is no theme source`)
    this.#source = source
    this.emit('updated')
  }
  get shouldUseDarkColors(): boolean {
    return this.#source === 'dark'
  }
}

export const nativeTheme = emulate<NativeTheme>()('nativeTheme', new StandInNativeTheme())
