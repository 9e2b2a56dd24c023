// Parts of the page that are loaded when they are first shown.

import { type ComponentType, createElement, use } from 'react'

/** A part could not be loaded: nothing answers, or the service was replaced by a version that has other files. */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded'
}

/** To be read below a title that names the part. */
export const WHY_NOT_LOADED =
  'Either nothing answered, or the service was updated since this page was opened, and then the page must be reloaded.'

const failed = new Set<() => void>()

/** Lets parts that could not be loaded be loaded again when they are next shown. */
export const loadFailedAgain = (): void => {
  for (const forget of failed) forget()
  failed.clear()
}

/**
 * Unlike React's `lazy`, it can be loaded again after a failure; unlike the router's, it never reloads the page, which
 * would be lost while nothing answers. `preload` never fails.
 */
export const loadedWhenShown = <Props extends object>(load: () => Promise<ComponentType<Props>>) => {
  let loading: Promise<ComponentType<Props>> | undefined
  let loaded: ComponentType<Props> | undefined
  const read = async (): Promise<ComponentType<Props>> => {
    try {
      loaded = await load()
      return loaded
    } catch (cause) {
      failed.add(() => {
        loading = undefined
      })
      throw new NotLoaded(cause instanceof Error ? cause.message : String(cause), { cause })
    }
  }
  const start = () => (loading ??= read())
  const Part = (props: Props) => createElement(loaded ?? use(start()), props)
  const preload = async (): Promise<void> => {
    loadFailedAgain()
    await start().catch(loadFailedAgain) // showing it tries again, and says so
  }
  return Object.assign(Part, { preload })
}

const ahead: (() => Promise<void>)[] = []

/** Loaded when it is first shown, or before by `loadAhead`. */
export const loadedAhead: typeof loadedWhenShown = (load) => {
  const part = loadedWhenShown(load)
  ahead.push(part.preload)
  return part
}

/** One after the other, so that each can be shown without a runtime too. */
export const loadAhead = async (): Promise<void> => {
  for (const preload of ahead) await preload()
}
