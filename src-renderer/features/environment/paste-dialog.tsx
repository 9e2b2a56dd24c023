// Sets several values at once from the text of a `.env` file. The names are shown first.

import { useRef, useState } from 'react'
import { plural } from '../../parts/format.ts'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useConfirm } from '../../parts/use-confirm.ts'
import { usePrivateAct } from '../../parts/use-private-act.ts'
import { useDialogForm } from '../../parts/use-dialog-form.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { type EnvFile, type EnvNote, readEnvFile } from './env-file.ts'
import { EnvironmentPlace } from './environment-place.tsx'
import { replaceQuestion } from './replace-question.ts'
import { SecretField } from './secret-field.tsx'
import { useSetVariables } from './use-set-variables.ts'
import { describeValue, MOST_VARIABLES } from './variable-rules.ts'
import { visible } from '../../ui/visible.tsx'

export const PasteDialog = ({
  names,
  onClose,
}: {
  /** What is set already. */
  readonly names: readonly string[]
  readonly onClose: () => void
}) => {
  const text = useRef<HTMLTextAreaElement>(null)
  const [file, setFile] = useState<EnvFile>()
  const [fault, setFault] = useState<string>()
  const act = usePrivateAct()
  const confirm = useConfirm()
  const setVariables = useSetVariables()
  const tooMany = file !== undefined && new Set([...names, ...file.set.keys()]).size > MOST_VARIABLES

  const read = () => {
    const given = text.current?.value ?? ''
    if (given.trim() === '') return setFault('Paste the contents of the file first')
    setFile(readEnvFile(given))
  }
  const set = async (file: EnvFile) => {
    if (act.isBusy || refusal(file, tooMany) !== undefined) return
    const replaced = names.filter((name) => file.set.has(name))
    if (replaced.length > 0 && !(await confirm(replaceQuestion(replaced)))) return
    if (await act.run(() => setVariables(file.set))) onClose()
  }
  const form = useDialogForm(() => {
    if (file === undefined) read()
    else void set(file)
  })
  return (
    <Dialog
      onClose={onClose}
      title="Paste .env"
      description={
        <>
          Sets several variables at once for <EnvironmentPlace />. Their values are never shown again.
        </>
      }
      footer={
        file === undefined ? (
          <>
            <Button onClick={onClose}>Close</Button>
            <SubmitButton form={form.id}>Review</SubmitButton>
          </>
        ) : (
          <>
            <Button onClick={() => setFile(undefined)}>Back</Button>
            <SubmitButton form={form.id} busy={act.isBusy} disabledReason={refusal(file, tooMany)}>
              Set {plural(file.set.size, 'variable')}
            </SubmitButton>
          </>
        )
      }
    >
      <form {...form} noValidate>
        {file === undefined ? (
          <SecretField
            label="File contents"
            rows={10}
            field={text}
            hint="One NAME=value per line. Quoted values may have several lines. # begins a comment."
            fault={fault}
          />
        ) : (
          <Names file={file} names={names} fault={act.fault} />
        )}
      </form>
    </Dialog>
  )
}

const refusal = (file: EnvFile, tooMany: boolean): string | undefined => {
  if (file.set.size === 0) return 'The file has no variables that can be set'
  return tooMany ? `A project can have at most ${MOST_VARIABLES} variables` : undefined
}

const Names = ({
  file,
  names,
  fault,
}: {
  readonly file: EnvFile
  readonly names: readonly string[]
  readonly fault: string | undefined
}) => (
  <div className="flex flex-col gap-4">
    <p role="alert" className="text-danger empty:hidden">
      {fault}
    </p>
    {file.set.size > 0 && (
      <table aria-label="Variables" className="w-full border-collapse">
        <thead>
          <tr className="text-xs text-faint">
            {['Name', 'Value', ''].map((header) => (
              <th key={header} scope="col" className="border-b border-line py-1 pr-4 text-left font-medium">
                {header === '' ? <span className="sr-only">Change</span> : header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...file.set].map(([name, value]) => (
            <tr key={name} className="border-b border-line">
              <th scope="row" className="py-1 pr-4 text-left font-mono text-xs font-normal break-all">
                {name}
              </th>
              <td className="pr-4 text-soft">{describeValue(value)}</td>
              <td className="text-right">
                {names.includes(name) ? <Badge tone="waiting">replaced</Badge> : <Badge>new</Badge>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
    <Notes title="Skipped lines" notes={file.faults} />
    <Notes title="Lines to check" notes={file.warnings} />
  </div>
)

const Notes = ({ title, notes }: { readonly title: string; readonly notes: readonly EnvNote[] }) =>
  notes.length > 0 && (
    <section aria-label={title}>
      <h3 className="font-medium">{title}</h3>
      <ul className="text-soft">
        {notes.map(({ line, text }, index) => (
          <li key={index} className="break-words">
            Line {line}: {visible(text)}
          </li>
        ))}
      </ul>
    </section>
  )
