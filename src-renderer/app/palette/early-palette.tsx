// Takes keys from the moment the user opens the palette, while the palette may still be loading.

import { Search } from 'lucide-react'
import { type KeyboardEvent, Suspense, useEffect, useState } from 'react'
import { loadedAhead } from '../../parts/loaded-when-shown.ts'
import type { PaletteProps } from './palette.tsx'
import { PALETTE_CLASSES, PALETTE_FIELD, PALETTE_INPUT_CLASSES } from './palette-frame.ts'

const Palette = loadedAhead(async () => (await import('./palette.tsx')).Palette)

export const EarlyPalette = ({ onClose }: { readonly onClose: () => void }) => {
  const [typed, setTyped] = useState('')
  const [isEntered, setEntered] = useState(false)
  useFocusBack()
  const onTyped = (text: string) => {
    setTyped(text)
    setEntered(false)
  }
  const shared = { typed, onTyped, isEntered, onEnter: () => setEntered(true), onClose }
  return (
    <Suspense fallback={<FieldAlone {...shared} />}>
      <Palette {...shared} />
    </Suspense>
  )
}

/** The field takes the focus at once, before the dialog around it could note what had it. */
const useFocusBack = () => {
  const [before] = useState(() => document.activeElement)
  useEffect(
    () => () => {
      if (before instanceof HTMLElement && document.activeElement === document.body) before.focus()
    },
    [before],
  )
}

const FieldAlone = ({ typed, onTyped, onEnter, onClose }: PaletteProps) => {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    if (event.key === 'Enter') onEnter()
  }
  return (
    <div role="dialog" aria-modal="true" aria-label="Command palette" className={PALETTE_CLASSES}>
      <div className="flex items-center gap-2 px-3">
        <Search size={15} className="shrink-0 text-faint" />
        <input
          {...PALETTE_FIELD}
          autoFocus
          value={typed}
          onChange={(event) => onTyped(event.target.value)}
          onKeyDown={onKeyDown}
          className={PALETTE_INPUT_CLASSES}
        />
      </div>
    </div>
  )
}
