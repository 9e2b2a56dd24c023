import { useScope } from '../../../api/scope.ts'
import { useSubmitShortcut } from '../../../parts/shortcuts.ts'
import { useIsShown } from '../../../parts/use-is-shown.ts'
import { useDialog } from '../../../stores/dialogs.ts'
import { recentKey } from '../../../stores/recent-inputs.ts'
import { enteredBefore, keepEntries } from '../../../stores/start-entries.ts'
import { CopyStartAs, StartButton } from './start-buttons.tsx'
import { StartFields } from './start-fields.tsx'
import { useStart } from './use-start.ts'

/** The start form on a Program's page. What is typed stays while the user looks at other tabs and screens. */
export const StartForm = ({ programId }: { readonly programId: string }) => {
  const isCovered = useDialog((state) => state.open !== null)
  const key = recentKey(useScope(), programId)
  const model = useStart({
    programId,
    entries: enteredBefore(key),
    onEntries: (entries) => keepEntries(key, entries),
    onStarted: useIsShown(),
  })
  useSubmitShortcut(() => model.submit(), !isCovered)
  return (
    <div className="max-w-240">
      <h2 className="sr-only">Start an Execution</h2>
      <StartFields model={model} choosesProgram={false}>
        <div className="flex flex-wrap gap-2">
          <StartButton model={model} label="Start execution" />
          <CopyStartAs model={model} />
        </div>
      </StartFields>
    </div>
  )
}
