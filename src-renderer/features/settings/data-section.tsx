// Where everything is kept, and how to save it, shrink it or start anew.

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
import { notify, notifyFault } from '../../ui/toasts.tsx'
import { Retention } from './retention.tsx'
import { Row, Section } from './section.tsx'

const ONLY_DESKTOP = 'The desktop app can do this; a page in a browser cannot reach your files'

/** Takes as long as the data is large: meanwhile its button is busy. */
const useDeed = (what: string, deed: () => Promise<unknown>) =>
  useMutation({
    mutationFn: deed,
    onError: (error) => notifyFault(`${what} did not work`, refusalText(error)),
  })

const backUp = async () => {
  const file = await desktop?.data.backUp()
  if (typeof file === 'string') notify('Backed up', file)
}

const reset = async (what: 'executions' | 'everything') => {
  const everything = what === 'everything'
  const agreed = await confirm({
    title: everything ? 'Reset everything' : 'Delete all Executions',
    text: everything
      ? 'Every project, Program, version and Execution of this data folder is deleted. This cannot be undone.'
      : 'Every Execution of every project is deleted with its history, running ones too. Programs stay. This cannot be undone.',
    action: everything ? 'Delete everything' : 'Delete all Executions',
    danger: true,
    typed: everything ? 'delete everything' : 'delete executions',
  })
  if (!agreed) return
  if ((await desktop?.data.reset(what)) !== true) return
  notify(everything ? 'Everything was deleted' : 'All Executions were deleted')
}

/** `runtime` is undefined while none answers: its folder is there all the same. */
export const DataSection = ({
  folder,
  runtime,
}: {
  readonly folder: string
  readonly runtime: RuntimeStatus | undefined
}) => {
  const reason = desktop === undefined ? ONLY_DESKTOP : undefined
  const backup = useDeed('The backup', backUp)
  const resetExecutions = useDeed('The reset', () => reset('executions'))
  const resetEverything = useDeed('The reset', () => reset('everything'))
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
          icon={<FolderOpen size={14} aria-hidden="true" />}
          disabledReason={reason}
          onClick={() => askDesktop('Revealing it did not work', () => desktop?.data.reveal())}
        >
          Reveal
        </Button>
        <Button
          icon={<Archive size={14} aria-hidden="true" />}
          disabledReason={reason}
          busy={backup.isPending}
          onClick={() => backup.mutate()}
        >
          {backup.isPending ? 'Backing up' : 'Back up'}
        </Button>
      </Row>
      {runtime !== undefined && <Retention />}
      <Row label="Reset" note="Typed confirmation first. A runtime that runs stops and starts again.">
        <Button
          kind="danger"
          icon={<Trash2 size={14} aria-hidden="true" />}
          disabledReason={reason}
          busy={resetExecutions.isPending}
          onClick={() => resetExecutions.mutate()}
        >
          Executions…
        </Button>
        <Button
          kind="danger"
          icon={<Trash2 size={14} aria-hidden="true" />}
          disabledReason={reason}
          busy={resetEverything.isPending}
          onClick={() => resetEverything.mutate()}
        >
          Everything…
        </Button>
      </Row>
    </Section>
  )
}
