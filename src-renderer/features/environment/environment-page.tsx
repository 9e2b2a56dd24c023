// The Environment screen: what the effects of the project find in `process.env`. Names and times; values are never shown.

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ClipboardPaste, KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import type { EnvironmentVariable } from '#sdk/index.ts'
import { environmentQuery } from '../../api/account-queries.ts'
import { failureOf } from '../../api/failures.ts'
import { projectOf, useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { type Column, DataTable } from '../../parts/data-table.tsx'
import { notifyFailure } from '../../parts/notify-failure.ts'
import { EmptyList } from '../../parts/empty-list.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { Ago } from '../../parts/time.tsx'
import { useCannot } from '../../parts/use-cannot.ts'
import { useConfirm } from '../../parts/use-confirm.ts'
import { useIsShown } from '../../parts/use-is-shown.ts'
import { focusScreen } from '../../ui/focus-screen.ts'
import { Button } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { notify } from '../../ui/toasts.tsx'
import { ProjectPhrase } from './environment-place.tsx'
import { PasteDialog } from './paste-dialog.tsx'
import { SetValueDialog } from './set-value-dialog.tsx'
import { WHEN_IT_APPLIES } from './use-set-variables.ts'

type Open = { readonly kind: 'set'; readonly name?: string } | { readonly kind: 'paste' }

export const EnvironmentPage = () => {
  const scope = useScope()
  const cannot = useCannot('admin')
  const query = useQueryKeepingError(environmentQuery(scope))
  const [open, setOpen] = useState<Open | null>(null)
  const names = (query.data ?? []).map(({ name }) => name)
  const reason = cannot ?? (query.data === undefined ? 'The variables are not loaded yet' : undefined)
  /** The values may be set after their dialog was closed, when another one is open. */
  const close = () => setOpen((now) => (now === open ? null : now))
  return (
    <>
      <PageHeader
        title="Environment"
        actions={
          <>
            <Button
              icon={<ClipboardPaste size={14} />}
              disabledReason={reason}
              onClick={() => setOpen({ kind: 'paste' })}
            >
              Paste .env
            </Button>
            <Button
              kind="primary"
              icon={<Plus size={14} />}
              disabledReason={reason}
              onClick={() => setOpen({ kind: 'set' })}
            >
              Add variable
            </Button>
          </>
        }
      />
      <p className="border-b border-line px-5 py-2 text-soft">
        Effects of <ProjectPhrase /> read these variables from <code className="font-mono text-xs">process.env</code>.
        Changes apply to effects that start at least 5 seconds later. Values are encrypted and never shown again.
      </p>
      <QueryContent what="the environment" query={query}>
        {(variables) =>
          variables.length === 0 ? (
            <EmptyList icon={<KeyRound size={28} />} title="No variables yet">
              Add the keys and addresses that effects need here, so that they are not part of the code.
            </EmptyList>
          ) : (
            <Variables variables={variables} cannot={cannot} onReplace={(name) => setOpen({ kind: 'set', name })} />
          )
        }
      </QueryContent>
      {open?.kind === 'set' && <SetValueDialog name={open.name} names={names} onClose={close} />}
      {open?.kind === 'paste' && <PasteDialog names={names} onClose={close} />}
    </>
  )
}

const Variables = ({
  variables,
  cannot,
  onReplace,
}: {
  readonly variables: readonly EnvironmentVariable[]
  readonly cannot: string | undefined
  readonly onReplace: (name: string) => void
}) => {
  const { remove, removing } = useRemove()
  const columns: readonly Column<EnvironmentVariable>[] = [
    {
      header: 'Name',
      cell: ({ name }) => <span className="inline-block min-w-36 font-mono text-xs break-all">{name}</span>,
    },
    { header: 'Created', from: 'wide', width: 'w-32', cell: ({ createdAt }) => <Ago at={createdAt} /> },
    { header: 'Updated', from: 'small', width: '@lg:w-32', cell: ({ updatedAt }) => <Ago at={updatedAt} /> },
    {
      header: 'Actions',
      silent: true,
      align: 'right',
      width: '@lg:w-52',
      cell: ({ name }) => (
        <span className="inline-flex gap-2 @max-lg:flex-col @max-lg:items-stretch">
          <Button aria-label={`Replace ${name}`} disabledReason={cannot} onClick={() => onReplace(name)}>
            Replace
          </Button>
          <Button
            kind="danger"
            aria-label={`Remove ${name}`}
            disabledReason={cannot}
            busy={removing === name}
            onClick={() => remove(name)}
          >
            Remove
          </Button>
        </span>
      ),
    },
  ]
  return <DataTable label="Environment" columns={columns} rows={variables} rowKey={({ name }) => name} />
}

const useRemove = () => {
  const scope = useScope()
  const queries = useQueryClient()
  const confirm = useConfirm()
  const isShown = useIsShown()
  const act = useMutation({
    mutationFn: async (name: string) => {
      const agreed = await confirm({
        title: `Remove ${name}`,
        text: `Effects that start at least 5 seconds later no longer get ${name}. Its value cannot be restored.`,
        action: 'Remove variable',
        danger: true,
      })
      if (!agreed) return
      const { items } = await scope.client.changeEnvironment(projectOf(scope), { remove: [name] })
      // The table goes with its last row.
      if (items.length === 0 && isShown()) focusScreen()
      queries.setQueryData(environmentQuery(scope).queryKey, items)
      notify(`${name} removed`, { detail: WHEN_IT_APPLIES, place: scope.connection })
    },
    onError: (error, name) => {
      const noAnswer = `Check whether ${name} is still listed.`
      notifyFailure(failureOf(error), `${name} was not removed`, noAnswer, scope.connection)
      void queries.invalidateQueries({ queryKey: environmentQuery(scope).queryKey })
    },
  })
  return { remove: (name: string) => act.mutate(name), removing: act.isPending ? act.variables : undefined }
}
