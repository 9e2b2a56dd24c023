import { useScope } from '../../../api/scope.ts'
import { useShortcut } from '../../../parts/shortcuts.ts'
import { useDialog } from '../../../stores/dialogs.ts'
import { recentKey } from '../../../stores/recent-inputs.ts'
import { CopyStartAs, StartButton } from './start-buttons.tsx'
import { StartFields } from './start-fields.tsx'
import { type Entries, useStart } from './use-start.ts'

/** What was typed on Programs' pages and not started, until the page is loaded again. */
const drafts = new Map<string, Entries>()

/** The start form on a Program's page. What is typed stays while the user looks at other tabs and screens. */
export const StartForm = ({ programId }: { readonly programId: string }) => {
  const isCovered = useDialog((state) => state.open !== null)
  const key = recentKey(useScope(), programId)
  const model = useStart({
    programId,
    entries: drafts.get(key),
    onEntries: (entries) => void (entries === undefined ? drafts.delete(key) : drafts.set(key, entries)),
    onStarted: () => true,
  })
  useShortcut('submit', () => model.submit(), !isCovered)
  return (
    <div className="flex max-w-240 flex-col gap-4">
      <h2 className="sr-only">Start an Execution</h2>
      <StartFields model={model} choosesProgram={false} />
      <div className="flex flex-wrap gap-2">
        <StartButton model={model} label="Start execution" />
        <CopyStartAs model={model} />
      </div>
    </div>
  )
}
