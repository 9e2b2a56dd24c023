// A text field of the filter: what is typed filters the list after a moment.

import { useEffect, useRef, useState } from 'react'

const TYPING_MS = 250

export type TypedText = {
  /** In the field. */
  readonly shown: string
  readonly type: (value: string) => void
  /** Filters at once. */
  readonly settle: (value: string) => void
  readonly clear: () => void
  /** Forgets what is typed, without filtering. */
  readonly drop: () => void
  readonly leave: (value: string) => void
}

/** `text`: of the filter. */
export const useTypedText = (text: string, onText: (text: string) => void): TypedText => {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [typed, setTyped] = useState<string>()
  const settled = useRef(text)
  useEffect(() => {
    if (text === settled.current) return
    // Another filter came, as by the browser's Back: what is typed belongs to the one before.
    settled.current = text
    clearTimeout(timer.current)
    setTyped(undefined)
  }, [text])
  // Whoever leaves the list meanwhile would be led back to it.
  useEffect(() => () => clearTimeout(timer.current), [])

  const settle = (value: string) => {
    clearTimeout(timer.current)
    const before = settled.current
    settled.current = value.trim()
    // The filter that was asked for before may still be on its way.
    if (before !== text || settled.current !== text) onText(settled.current)
  }
  return {
    shown: typed ?? text,
    type: (value) => {
      setTyped(value)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => settle(value), TYPING_MS)
    },
    settle,
    clear: () => {
      setTyped(undefined)
      settle('')
    },
    drop: () => {
      clearTimeout(timer.current)
      setTyped(undefined)
    },
    leave: (value) => {
      settle(value)
      setTyped(undefined)
    },
  }
}
