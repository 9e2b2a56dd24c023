import { useConnection } from '../api/connection.ts'
import { type Shortcut, SHORTCUTS } from '../parts/shortcuts.ts'
import { Dialog } from '../ui/dialog.tsx'

export const ShortcutList = ({ onClose }: { readonly onClose: () => void }) => {
  const { kind } = useConnection()
  const all: readonly Shortcut[] = Object.values(SHORTCUTS)
  const shown = all.filter(({ only }) => only === undefined || only === kind)
  const groups = Map.groupBy(shown, (shortcut) => shortcut.group)
  return (
    <Dialog onClose={onClose} title="Shortcuts" size="small">
      <div role="group" aria-label="All shortcuts" tabIndex={0} data-autofocus className="-my-3 py-3 outline-none">
        {[...groups].map(([group, shortcuts]) => (
          <section key={group} aria-label={group} className="mb-4">
            <h3 className="mb-1 text-xs font-semibold text-faint">{group}</h3>
            <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-1">
              {shortcuts.map((shortcut) => (
                <div key={shortcut.shown} className="contents">
                  <dt>{shortcut.does}</dt>
                  <dd className="text-right font-mono text-xs text-soft">{shortcut.shown}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
