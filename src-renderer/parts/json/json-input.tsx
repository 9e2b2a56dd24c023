// Edits a value as a form, where the schema allows one, and as JSON; side by side where there is room. Both edit the
// same text, which stays as typed even when invalid.

import { WandSparkles } from 'lucide-react'
import { type ReactNode, type RefObject, Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { JsonSchema } from '#sdk/index.ts'
import { stringifyExactJson } from '../../exact-json.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { isolated } from '../../ui/isolated.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { takeFocus } from '../../ui/take-focus.ts'
import { plural } from '../format.ts'
import { loadedWhenShown } from '../loaded-when-shown.ts'
import { BROKEN, readDraft, reindent, valueOfDraft } from './draft.ts'
import { FaultsAtFields, useFaultsAtFields } from './form/faults-at-fields.ts'
import { formRefusal } from './form/form-data.ts'
import type { SchemaFormProps } from './form/schema-form.tsx'
import { JsonEditor, useDraftFaults } from './json-editor.tsx'
import type { SchemaFault } from './schema-check.ts'
import { visible } from '../../ui/visible.tsx'

const SchemaForm = loadedWhenShown<SchemaFormProps>(() =>
  import('./form/schema-form.tsx').then(
    (module) => module.SchemaForm,
    () => NoForm,
  ),
)

const NoForm = () => <p className="text-soft">The form could not be loaded. Use the JSON editor.</p>

let isFormLoaded = false

/** Whether a form would be shown at once, with its height. Loads what forms need. */
export const useFormLoaded = (): boolean => {
  const [isLoaded, setLoaded] = useState(isFormLoaded)
  useEffect(() => {
    const load = async () => {
      await SchemaForm.preload()
      isFormLoaded = true
      setLoaded(true)
    }
    void load()
  }, [])
  return isLoaded
}

export type JsonInputProps = {
  /** `Input` or `Payload`: the name of the group and of its editor. */
  readonly label: string
  /** Empty: no value. */
  readonly text: string
  readonly onChange: (text: string) => void
  readonly schema: JsonSchema | undefined
  /** Faults that the service named. */
  readonly refusals: readonly SchemaFault[]
  /** How often the user has tried to send it. From then on the faults are listed; the JSON editor always marks them. */
  readonly attempts: number
  readonly placeholder?: string
  /** Its first field, once it has loaded: see `takeFocus`. */
  readonly takesFocus?: boolean
  /** Controls at the end of the label's row. */
  readonly aside?: ReactNode
  /** The label of the button for `onSendAnyway`. */
  readonly anyway?: string
  /** Sends a value although it does not match the schema; the service decides. */
  readonly onSendAnyway?: (() => void) | undefined
}

const SHOWN_FAULTS = 5
const FIELD = 'input, textarea, [role="combobox"]'

export const JsonInput = ({
  label,
  text,
  onChange,
  schema,
  refusals,
  attempts,
  placeholder,
  takesFocus = false,
  aside,
  anyway = 'Send anyway',
  onSendAnyway,
}: JsonInputProps) => {
  const [view, setView] = useState<'form' | 'json'>('form')
  const settled = useDeferredValue(text)
  const draft = useMemo(() => readDraft(settled), [settled])
  const found = useDraftFaults(text, schema)
  // The service says the same in other words of a value in which the page has found a fault.
  const others = useMemo(
    () => eachOnce(refusals.filter(({ path }) => !found.some((fault) => fault.path === path))),
    [found, refusals],
  )
  const faults = useMemo(() => [...found, ...others], [found, others])
  const value = valueOfDraft(draft)
  const refusal = draft.kind === 'broken' ? BROKEN : formRefusal(schema, value, settled)
  const isFormatted = draft.kind !== 'value' || reindent(settled) === settled
  const schemaOfForm = hasForm(schema) ? schema : undefined
  const { isAtField, report } = useFaultsAtFields()
  const shown = attempts > 0 ? faults : others
  // A fault of the whole value is told below it.
  const ofMembers = useMemo(() => shown.filter(({ path }) => path !== ''), [shown])
  const isFormShown = refusal === undefined && view === 'form'
  const group = useRef<HTMLDivElement>(null)
  const editor = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (attempts > 0) showFault(group.current, editor.current)
  }, [attempts])
  return (
    <div ref={group} className="@container flex flex-col gap-1.5">
      <div className="flex h-6 items-center gap-2">
        <h3 className="font-medium">{label}</h3>
        {schemaOfForm !== undefined && (
          <span className="@2xl:hidden">
            <Segmented
              label="Edit as"
              value={refusal === undefined ? view : 'json'}
              options={[
                { value: 'form', label: 'Form', disabledReason: refusal },
                { value: 'json', label: 'JSON' },
              ]}
              onChange={setView}
            />
          </span>
        )}
        <span className="ml-auto" />
        {aside}
        <Button
          kind="quiet"
          small
          icon={<WandSparkles size={13} />}
          disabledReason={isFormatted ? formatReason(draft.kind) : undefined}
          onClick={() => onChange(reindent(text))}
        >
          Format
        </Button>
      </div>
      <div className={classNames(schemaOfForm && 'grid gap-3 @2xl:grid-cols-[3fr_2fr]')}>
        {schemaOfForm !== undefined && (
          <div className={classNames(!isFormShown && 'hidden @2xl:block')}>
            {refusal === undefined ? (
              <div className="min-h-48 rounded-md border border-line px-3 py-3">
                <Suspense fallback={<Loading what="the form" />}>
                  <FaultsAtFields value={report}>
                    <SchemaForm
                      schema={schemaOfForm}
                      value={value}
                      onChange={(next) => onChange(stringifyExactJson(next, 2))}
                      faults={ofMembers}
                    />
                  </FaultsAtFields>
                  {takesFocus && <FirstTakesFocus group={group} />}
                </Suspense>
              </div>
            ) : (
              <p className="rounded-md border border-dashed border-line px-3 py-2 text-soft">{refusal}.</p>
            )}
          </div>
        )}
        {/* The same editor for each schema, so that it keeps the focus and the cursor. */}
        <div ref={editor} className={classNames(schemaOfForm && isFormShown && 'hidden @2xl:block')}>
          <JsonEditor
            label={label}
            text={text}
            onChange={onChange}
            schema={schema}
            refusals={others}
            className={schemaOfForm ? 'sticky top-0 h-full max-h-[56vh] min-h-48' : 'h-64'}
            takesFocus={takesFocus && !(schemaOfForm && isFormShown)}
            {...(placeholder !== undefined && { placeholder })}
          />
        </div>
      </div>
      <FaultList
        label={label}
        faults={isFormShown ? shown.filter(({ path }) => !isAtField(path)) : shown}
        atFields={isFormShown ? new Set(shown.map(({ path }) => path).filter(isAtField)).size : 0}
        anyway={anyway}
        onSendAnyway={shown.length > 0 && draft.kind !== 'broken' && found.length > 0 ? onSendAnyway : undefined}
      />
    </div>
  )
}

/** Beside a form, and shown with it. */
const FirstTakesFocus = ({ group }: { readonly group: RefObject<HTMLElement | null> }) => {
  useEffect(() => takeFocus(group.current?.querySelector<HTMLElement>(FIELD)), [group])
  return null
}

const eachOnce = (faults: readonly SchemaFault[]): readonly SchemaFault[] => [
  ...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values(),
]

/** Whether the schema has a form. A particular value may still not fit it. */
const hasForm = (schema: JsonSchema | undefined): schema is JsonSchema =>
  schema !== undefined && formRefusal(schema, undefined, '') === undefined

const formatReason = (kind: 'empty' | 'value' | 'broken'): string => {
  if (kind === 'broken') return BROKEN
  return kind === 'empty' ? 'Nothing to format' : 'Already formatted'
}

/**
 * Brings a fault into view, and moves the focus to its field, unless it is in the JSON editor. The dialog's first field with
 * a fault, where that is not of this input, gets it instead.
 */
const showFault = (group: HTMLElement | null, editor: HTMLElement | null): void => {
  const first = group?.closest('[role="dialog"]')?.querySelector<HTMLElement>('[aria-invalid="true"]')
  if (first && group?.contains(first) === false) return first.focus()
  // In the JSON view the form may be there, but hidden.
  const told = [...(group?.querySelectorAll('[data-fault]') ?? [])].find((element) => element.checkVisibility())
  const place = told?.parentElement
  const field = place?.querySelector<HTMLElement>('[aria-invalid="true"]') ?? place?.querySelector<HTMLElement>(FIELD)
  if (editor?.contains(document.activeElement) === false) field?.focus()
  told?.scrollIntoView({ block: 'nearest' })
}

/** Tells the faults that no field shows, and says when fields show others. */
const FaultList = ({
  label,
  faults,
  atFields,
  anyway,
  onSendAnyway,
}: {
  readonly label: string
  readonly faults: readonly SchemaFault[]
  /** How many fields show faults. */
  readonly atFields: number
  readonly anyway: string
  readonly onSendAnyway: (() => void) | undefined
}) => (
  <div role="alert" className="flex flex-wrap items-start justify-between gap-3 text-xs text-danger">
    {faults.length + atFields > 0 && (
      <ul className="flex min-w-0 flex-col gap-0.5">
        {atFields > 0 && <li>{plural(atFields, 'invalid field')}, marked in the form.</li>}
        {faults.slice(0, SHOWN_FAULTS).map((fault) => (
          <li key={`${fault.path} ${fault.message}`} data-fault className="break-words">
            {fault.path !== '' && <span className="font-mono">{isolated(fault.path.split(/([^/]+)/))} </span>}
            {visible(fault.path === '' ? `The ${label.toLowerCase()} ${fault.message}` : fault.message)}
          </li>
        ))}
        {faults.length > SHOWN_FAULTS && <li>and {faults.length - SHOWN_FAULTS} more</li>}
      </ul>
    )}
    {onSendAnyway !== undefined && (
      <Button small onClick={onSendAnyway}>
        {anyway}
      </Button>
    )}
  </div>
)
