// The fields of a start, for the dialog and the Program's page.

import { Collapsible } from '@base-ui/react/collapsible'
import { ChevronRight, Dices, History } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { programCannot } from '../../../api/capabilities.ts'
import { programsQuery, versionsQuery } from '../../../api/queries.ts'
import { useClock } from '../../../parts/clock.ts'
import { relativeTime } from '../../../parts/format.ts'
import { FindSelect } from '../../../parts/find-select.tsx'
import { JsonInput, useFormLoaded } from '../../../parts/json/json-input.tsx'
import { QueryFault } from '../../../parts/query-fault.tsx'
import { QueryLoading } from '../../../parts/query-loading.tsx'
import { useHold } from '../../../parts/use-hold.ts'
import { forgetInputs, recentKey, useRecentInputs } from '../../../stores/recent-inputs.ts'
import { Button } from '../../../ui/button.tsx'
import { Combobox } from '../../../ui/combobox.tsx'
import { Fault } from '../../../ui/fault.tsx'
import { Field, TextInput } from '../../../ui/field.tsx'
import { Menu } from '../../../ui/menu.tsx'
import { newestRunnable, versionCannot, versionNotice } from './choose-version.ts'
import { visible } from '../../../ui/visible.tsx'
import type { StartModel } from './use-start.ts'

export const StartFields = ({
  model,
  choosesProgram,
  children,
}: {
  readonly model: StartModel
  readonly choosesProgram: boolean
  /** Below the fields. */
  readonly children?: ReactNode
}) => {
  const { programs, versions, refusal } = model
  const isFormLoaded = useFormLoaded()
  // The input gets its height from the schema.
  const isHeld = useHold((model.isLoading && versions.error === null) || !isFormLoaded)
  if (programs.error !== null && programs.data === undefined) {
    return <QueryFault what="Programs" error={programs.error} onRetry={() => void programs.refetch()} />
  }
  return (
    <div data-takes-focus={isCopied(model) || undefined} className="flex flex-col gap-4">
      {refusal.whole !== undefined && <Fault className="mb-5" {...refusal.whole} />}
      <div className="flex flex-wrap gap-3">
        {choosesProgram && <ProgramPicker model={model} />}
        <VersionPicker model={model} />
      </div>
      <VersionNotice model={model} />
      <Input model={model} />
      {!isHeld && (
        <>
          <More model={model} />
          {children}
        </>
      )}
    </div>
  )
}

/** Whether its Program is that of the copied Execution: then only its input is edited, if anything. */
const isCopied = ({ copyOf, programId, isUnknown }: StartModel): boolean =>
  copyOf !== undefined && copyOf.programId === programId && !isUnknown

const Input = ({ model }: { readonly model: StartModel }) => {
  const { scope, versions, programId, attempts } = model
  if (programId === undefined)
    return (
      <NoInput>
        <WithoutProgram model={model} />
      </NoInput>
    )
  if (model.isUnknown)
    return (
      <NoInput>
        <p className="m-auto px-4 text-center text-soft">
          This project has no Program <span className="font-mono text-xs break-all">{visible(programId)}</span>. Choose
          another one, or deploy it.
        </p>
      </NoInput>
    )
  const what = `the versions of ${programId}`
  if (versions.error !== null && versions.data === undefined) {
    return <QueryFault what={what} error={versions.error} onRetry={() => void versions.refetch()} />
  }
  if (model.isLoading) {
    return (
      <NoInput>
        <QueryLoading key={programId} what={what} queryKey={versionsQuery(scope, programId).queryKey} />
      </NoInput>
    )
  }
  return (
    <JsonInput
      key={programId}
      label="Input"
      text={model.text}
      onChange={model.change}
      schema={model.schema}
      refusals={model.refusal.input}
      attempts={attempts}
      placeholder="Any JSON, or empty for no input"
      takesFocus={isCopied(model)}
      aside={<RecentInputs model={model} />}
      onSendAnyway={attempts > 0 ? () => model.submit(true) : undefined}
    />
  )
}

const NoInput = ({ children }: { readonly children: ReactNode }) => (
  <div className="flex flex-col gap-1.5">
    <h3 className="flex h-6 items-center font-medium">Input</h3>
    <div className="flex min-h-48 rounded-md border border-line">{children}</div>
  </div>
)

const WithoutProgram = ({ model: { programs, scope } }: { readonly model: StartModel }) =>
  programs.data === undefined ? (
    <QueryLoading what="the Programs" queryKey={programsQuery(scope).queryKey} />
  ) : (
    <p className="m-auto text-soft">Choose a Program first.</p>
  )

const ProgramPicker = ({ model }: { readonly model: StartModel }) => (
  <div className="flex min-w-60 flex-1 flex-col gap-1">
    <span aria-hidden="true" className="font-medium">
      Program
    </span>
    <Combobox
      label="Program"
      value={model.programId ?? null}
      placeholder={model.programs.data === undefined ? 'Loading' : 'Choose a Program'}
      options={(model.programs.data ?? []).map((program) => ({
        value: program.id,
        label: program.id,
        detail: program.description,
        disabledReason: programCannot.beStarted(program),
      }))}
      onChange={model.pickProgram}
    />
  </div>
)

const VersionPicker = ({ model }: { readonly model: StartModel }) => {
  const versions = model.versions.data ?? []
  const newest = newestRunnable(versions)
  return (
    <div className="flex w-56 flex-col gap-1">
      <span aria-hidden="true" className="font-medium">
        Version
      </span>
      <FindSelect
        label="Version"
        one="version"
        value={String(model.choice)}
        options={[
          {
            value: 'newest',
            label: newest === undefined ? 'Newest' : `Newest runnable (${newest.number})`,
            disabledReason: versions.length > 0 && newest === undefined ? 'none can run here' : undefined,
          },
          ...versions.map((version) => ({
            value: String(version.number),
            label: `Version ${version.number}`,
            disabledReason: versionCannot(version),
          })),
        ]}
        onChange={(next) => model.pickVersion(next === 'newest' ? 'newest' : Number(next))}
        className="w-full"
      />
    </div>
  )
}

/** Says that "Run again" would use another version than the original's. */
const VersionNotice = ({ model }: { readonly model: StartModel }) => {
  const { copyOf, programId, versions, choice, pickVersion } = model
  if (copyOf === undefined || copyOf.programId !== programId) return null
  const own = copyOf.versionNumber
  const notice = versionNotice(own, versions.data ?? [], choice)
  if (notice === undefined) return null
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 rounded-md bg-waiting-wash px-3 py-1.5 text-waiting"
    >
      <span>
        The original ran version {own}. This run will use version {notice.chosen}.
      </span>
      {notice.ownCanRun ? (
        <Button small onClick={() => pickVersion(own)}>
          Use version {own}
        </Button>
      ) : (
        <span>Version {own} cannot run here.</span>
      )}
    </div>
  )
}

const LONGEST_PREVIEW = 60

const RecentInputs = ({ model }: { readonly model: StartModel }) => {
  const key = recentKey(model.scope, model.programId ?? '')
  const recents = useRecentInputs(key)
  const now = useClock()
  if (recents.length === 0) return null
  return (
    <Menu
      label="Recent"
      trigger={
        <Button kind="quiet" small icon={<History size={13} />}>
          Recent
        </Button>
      }
      groups={[
        recents.map(({ text, at }) => ({
          key: text,
          label: `${previewOf(text)} · ${relativeTime(at, now)}`,
          onSelect: () => model.change(text),
        })),
        [{ label: 'Clear recent inputs', onSelect: () => forgetInputs(key) }],
      ]}
    />
  )
}

const previewOf = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  if (line === '') return 'No input'
  return line.length > LONGEST_PREVIEW ? `${line.slice(0, LONGEST_PREVIEW)} …` : line
}

const LONGEST_KEY = 255

const More = ({ model }: { readonly model: StartModel }) => {
  const { idempotencyKey, setIdempotencyKey, refusal } = model
  // A key that was entered before this form was left is in view again.
  const [open, setOpen] = useState(idempotencyKey !== '')
  return (
    <Collapsible.Root open={open || refusal.key !== undefined} onOpenChange={setOpen}>
      <Collapsible.Trigger className="group flex min-h-6 items-center gap-1 text-soft hover:text-ink">
        <ChevronRight size={14} className="group-data-panel-open:rotate-90" />
        More
      </Collapsible.Trigger>
      <Collapsible.Panel className="pt-2 pl-5">
        <Field
          label="Idempotency-Key"
          hint="Within 24 hours, repeating the request with the same key returns the same Execution. Leave empty for a generated key."
          fault={refusal.key}
        >
          <span className="flex gap-2">
            <TextInput
              value={idempotencyKey}
              maxLength={LONGEST_KEY}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setIdempotencyKey(event.currentTarget.value)}
              className="flex-1 font-mono text-xs"
            />
            <Button icon={<Dices size={14} />} onClick={() => setIdempotencyKey(crypto.randomUUID())}>
              Generate
            </Button>
          </span>
        </Field>
      </Collapsible.Panel>
    </Collapsible.Root>
  )
}
