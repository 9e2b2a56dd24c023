// The command palette: finds screens, Executions, Programs and actions by a few of their letters.

import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useNow } from '../../parts/clock.ts'
import { Key } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { inPlace, type ShownGroup, shownGroups, type ShownItem } from './palette-items.ts'
import { PALETTE_CLASSES, PALETTE_FIELD, PALETTE_INPUT_CLASSES } from './palette-frame.ts'
import { usePaletteGroups } from './use-palette-groups.ts'
import { visible } from '../../ui/visible.tsx'

export type PaletteProps = {
  readonly typed: string
  readonly onTyped: (typed: string) => void
  /** Whether the user pressed Enter before there was an item to run. The first one runs as soon as it is there. */
  readonly isEntered: boolean
  readonly onEnter: () => void
  readonly onClose: () => void
}

export const Palette = ({ typed, onTyped, isEntered, onEnter, onClose }: PaletteProps) => {
  const input = useRef<HTMLInputElement>(null)
  const isHighlighted = useRef(false)
  const now = useNow()
  const asked = useDeferredValue(typed)
  const { groups, isSearching, isComplete } = usePaletteGroups(asked, now)
  const [kept, setKept] = useState<{ readonly typed: string; readonly shown: readonly ShownGroup[] }>()
  const isKept = kept?.typed === typed
  const shown = isKept ? inPlace(kept.shown, groups) : shownGroups(groups, typed)
  // Later reads must not move the rows under the pointer.
  if (!isKept && isComplete && asked === typed) setKept({ typed, shown })
  const run = (item: ShownItem) => {
    onClose()
    item.run()
  }
  const first = shown[0]?.items[0]
  const runFirst = useEffectEvent(() => {
    if (first !== undefined && first.disabledReason === undefined) run(first)
  })
  useEffect(() => {
    if (isEntered) runFirst()
  }, [isEntered, first?.id])
  const onKeyDown = ({ key }: KeyboardEvent) => {
    // Otherwise the highlighted item runs, or nothing matches.
    if (key === 'Enter' && !isHighlighted.current && (isSearching || first !== undefined)) onEnter()
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-backdrop" />
        <Dialog.Popup aria-label="Command palette" initialFocus={input} className={PALETTE_CLASSES}>
          <Autocomplete.Root
            open
            inline
            items={shown}
            filter={null}
            value={typed}
            onValueChange={(next, { reason }) => reason !== 'item-press' && onTyped(next)}
            itemToStringValue={(item: ShownItem) => item.label}
            onItemHighlighted={(item) => (isHighlighted.current = item !== undefined)}
            autoHighlight="always"
            keepHighlight
          >
            <div className="flex items-center gap-2 border-b border-line px-3">
              <Search size={15} className="shrink-0 text-faint" />
              <Autocomplete.Input
                {...PALETTE_FIELD}
                ref={input}
                onKeyDown={onKeyDown}
                // The dialog takes the focus one frame later; until then keys would go to the page.
                // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user opens it
                autoFocus
                className={PALETTE_INPUT_CLASSES}
              />
            </div>
            <Autocomplete.Status className="sr-only">
              {isSearching ? 'Searching Executions' : countOf(shown)}
            </Autocomplete.Status>
            <Autocomplete.Empty className="px-4 py-6 text-center text-soft empty:hidden">
              {isSearching ? 'Searching …' : `Nothing matches “${typed}”.`}
            </Autocomplete.Empty>
            <Autocomplete.List
              aria-label="Results"
              className="min-h-0 flex-1 overflow-auto py-1 outline-none empty:hidden"
            >
              {(group: ShownGroup) => (
                <Autocomplete.Group key={group.label} items={group.items} className="pb-1">
                  <Autocomplete.GroupLabel className="px-3.5 pt-2 pb-1 text-xs text-faint">
                    {group.label}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: ShownItem) => <Row key={item.id} item={item} onRun={() => run(item)} />}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const countOf = (groups: readonly ShownGroup[]): string => {
  const count = groups.reduce((total, { items }) => total + items.length, 0)
  return count === 1 ? '1 result' : `${count} results`
}

const Row = ({ item, onRun }: { readonly item: ShownItem; readonly onRun: () => void }) => {
  const { Icon, disabledReason } = item
  const note = disabledReason ?? item.detail
  const isId = item.label.startsWith('exe_')
  return (
    <Autocomplete.Item
      value={item}
      disabled={disabledReason !== undefined}
      onClick={onRun}
      className="mx-1.5 flex min-h-8 items-center gap-2.5 rounded-md px-2 outline-none data-disabled:text-soft data-highlighted:bg-selected"
    >
      <Icon size={15} className="shrink-0 text-faint" />
      <span
        className={classNames(
          'truncate',
          // Shows the end of an id where there is no room: beginnings of ids made on one day are alike.
          isId && 'flex-[1_0_9ch] text-left font-mono text-xs [direction:rtl]',
        )}
      >
        <bdi>
          <Marked text={item.label} places={item.places} />
        </bdi>
      </span>
      {note !== undefined && (
        // A description leaves its room to the name, but not to an id.
        <span
          className={classNames(
            'ml-auto truncate text-xs text-soft',
            isId ? 'min-w-0' : 'max-w-[60%]',
            disabledReason === undefined && !isId && 'shrink-[99]',
          )}
        >
          {visible(note)}
        </span>
      )}
      {item.shortcut !== undefined && (
        <span className={classNames('text-ink', note === undefined && 'ml-auto')}>
          <Key>{item.shortcut}</Key>
        </span>
      )}
    </Autocomplete.Item>
  )
}

/** The text, with the letters that were typed highlighted. */
const Marked = ({ text, places }: { readonly text: string; readonly places: readonly number[] }) => {
  if (places.length === 0) return visible(text)
  const marked = new Set(places)
  // Letters in a row stay together, so that a screen reader reads words.
  const parts: { text: string; isMarked: boolean }[] = []
  for (const [index, letter] of text.split('').entries()) {
    const last = parts.at(-1)
    if (last?.isMarked === marked.has(index)) last.text += letter
    else parts.push({ text: letter, isMarked: marked.has(index) })
  }
  return parts.map((part, index) => (
    <span key={index} className={part.isMarked ? 'font-semibold text-accent' : undefined}>
      {visible(part.text)}
    </span>
  ))
}
