// Reads the theme's current colours, because a canvas cannot use CSS custom properties.

import { useCallback, useRef, useSyncExternalStore } from 'react'
import { usePreferences } from '../../stores/preferences.ts'

const dark = window.matchMedia('(prefers-color-scheme: dark)')

const resolve = (names: readonly string[]): readonly string[] => {
  const probe = document.createElement('span')
  probe.style.forcedColorAdjust = 'none'
  document.body.append(probe)
  const colours = names.map((name) => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  })
  probe.remove()
  return colours
}

export const useColours = (names: readonly string[]): readonly string[] => {
  const key = names.join()
  const cache = useRef<{ readonly of: string; readonly colours: readonly string[] }>(undefined)
  const subscribe = useCallback((listener: () => void) => {
    dark.addEventListener('change', listener)
    const unsubscribe = usePreferences.subscribe(listener)
    return () => {
      dark.removeEventListener('change', listener)
      unsubscribe()
    }
  }, [])
  return useSyncExternalStore(subscribe, () => {
    const of = `${key}/${dark.matches}/${usePreferences.getState().theme}`
    if (cache.current?.of !== of) cache.current = { of, colours: resolve(key.split(',')) }
    return cache.current.colours
  })
}
