// The data folder: its size, backups, retention and reset.

import { useMutation } from '@tanstack/react-query'
import { Archive, FolderOpen, Trash2 } from 'lucide-react'
import type { RuntimeStatus } from '#sdk/index.ts'
import { refusalText } from '../../desktop-refusal.ts'
import { desktop } from '../../desktop.ts'
import { askDesktop } from '../../parts/ask-desktop.ts'
import { bytes } from '../../parts/format.ts'
import { confirm } from '../../stores/confirmation.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { notify, notifyFault } from '../../ui/toasts.tsx'
import { Retention } from './retention.tsx'
import { Row, Section } from '../../parts/section.tsx'

const ONLY_DESKTOP = 'Only the desktop app can do this: a page in a browser has no access to your files'

/** May take long with much data; the button shows that it is busy. */
const useDataAction = <Given = void,>(what: string, action: (given: Given) => Promise<unknown>) =>
  useMutation({
    mutationFn: action,
    onError: (error) => notifyFault(`${what} failed`, { detail: refusalText(error) }),
  })

const backUp = async () => {
  const file = await desktop?.data.backUp()
  if (typeof file === 'string') notify('Backed up', { detail: file })
}

type ResetScope = 'executions' | 'everything'

const reset = async (what: ResetScope) => {
  const everything = what === 'everything'
  const agreed = await confirm({
    title: everything ? 'Reset everything' : 'Delete all Executions',
    text: everything
      ? 'Every project, Program, version and Execution of this data folder is deleted, and the copies of the database that upgrades made. This cannot be undone.'
      : 'Every Execution of every project is deleted with its history, running ones too, and the copies of the database that upgrades made. Programs stay. This cannot be undone.',
    action: everything ? 'Delete everything' : 'Delete all Executions',
    danger: true,
    typed: everything ? 'delete everything' : 'delete executions',
  })
  if (!agreed) return
  if ((await desktop?.data.reset(what)) !== true) return
  notify(everything ? 'Everything was deleted' : 'All Executions were deleted')
}

/** `runtime` is undefined while none answers; the desktop app knows the folder without it. */
export const DataSection = ({
  folder,
  runtime,
}: {
  readonly folder: string
  readonly runtime: RuntimeStatus | undefined
}) => {
  const reason = desktop === undefined ? ONLY_DESKTOP : undefined
  const backup = useDataAction('The backup', backUp)
  const resetting = useDataAction('The reset', reset)
  const resetButton = (
    <Button kind="danger" icon={<Trash2 size={14} />} disabledReason={reason} busy={resetting.isPending}>
      Reset…
    </Button>
  )
  const resetChoice = (label: string, what: ResetScope) => ({
    label,
    danger: true,
    disabledReason: resetting.isPending ? 'Data is being deleted' : undefined,
    onSelect: () => resetting.mutate(what),
  })
  return (
    <Section title="Data">
      <Row
        label="Data folder"
        note={
          <span className="inline-flex items-center gap-1 font-mono break-all">
            {folder}
            <CopyButton label="Copy the path" text={folder} />
          </span>
        }
      >
        {runtime !== undefined && <span className="tabular text-soft">{bytes(runtime.dataBytes)}</span>}
        <Button
          icon={<FolderOpen size={14} />}
          disabledReason={reason}
          onClick={() => askDesktop('The folder could not be shown', () => desktop?.data.reveal())}
        >
          Reveal
        </Button>
        <Button
          icon={<Archive size={14} />}
          disabledReason={reason}
          busy={backup.isPending}
          onClick={() => backup.mutate()}
        >
          {backup.isPending ? 'Backing up' : 'Back up'}
        </Button>
      </Row>
      {runtime !== undefined && <Retention />}
      <Row
        label="Reset"
        note="Deletes Executions only, or everything. You will be asked to type a confirmation. A running runtime restarts."
      >
        {reason === undefined ? (
          <Menu
            label="Reset"
            trigger={resetButton}
            groups={[[resetChoice('Executions only…', 'executions'), resetChoice('Everything…', 'everything')]]}
          />
        ) : (
          resetButton
        )}
      </Row>
    </Section>
  )
}
