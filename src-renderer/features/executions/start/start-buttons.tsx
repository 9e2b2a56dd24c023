import { Play } from 'lucide-react'
import { programCannot } from '../../../api/capabilities.ts'
import { CopyAs } from '../../../parts/copy-as.tsx'
import { BROKEN, readDraft, valueOfDraft } from '../../../parts/json/draft.ts'
import { SHORTCUTS } from '../../../parts/shortcuts.ts'
import { useCannot } from '../../../parts/use-cannot.ts'
import { Button } from '../../../ui/button.tsx'
import { versionCannot } from './choose-version.ts'
import type { StartModel } from './use-start.ts'

const noSuchProgram = (id: string): string => `There is no Program ${id} in this project`

/** Why there is no input yet; undefined when there is. */
const hasNoInput = ({ programId, programs, versions, isLoading, isUnknown }: StartModel): string | undefined => {
  if (programId === undefined) return programs.isPending ? 'The Programs are still loading' : 'Choose a Program first'
  if (!isLoading) return undefined
  if (versions.error === null) return 'The versions are still loading'
  return isUnknown ? noSuchProgram(programId) : 'The versions could not be loaded'
}

/** Why a start is not possible yet; undefined when it is. */
const startCannot = (model: StartModel): string | undefined => {
  const { programId, programs, version } = model
  const reason = hasNoInput(model)
  if (reason !== undefined) return reason
  if (version !== undefined) return versionCannot(version)
  const program = programs.data?.find((one) => one.id === programId)
  return program === undefined ? noSuchProgram(programId ?? '') : programCannot.beStarted(program)
}

export const StartButton = ({ model, label }: { readonly model: StartModel; readonly label: string }) => {
  const cannot = useCannot('write')
  return (
    <Button
      kind="primary"
      icon={<Play size={14} />}
      shortcut={SHORTCUTS.submit.shown}
      busy={model.isStarting}
      disabledReason={cannot ?? startCannot(model)}
      onClick={() => model.submit()}
    >
      {label}
    </Button>
  )
}

export const CopyStartAs = ({ model }: { readonly model: StartModel }) => {
  const { programId, choice, text, idempotencyKey } = model
  const draft = readDraft(text)
  return (
    <CopyAs
      disabledReason={hasNoInput(model) ?? (draft.kind === 'broken' ? BROKEN : undefined)}
      request={() => ({
        kind: 'start',
        programId: programId ?? '',
        version: choice === 'newest' ? undefined : choice,
        input: valueOfDraft(draft),
        idempotencyKey: idempotencyKey.trim() || undefined,
      })}
    />
  )
}
