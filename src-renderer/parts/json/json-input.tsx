// Edits a value as a form, where the schema allows one, and as JSON; side by side where there is room. Both edit the
// same text, which stays as typed even when invalid.

import { WandSparkles } from 'lucide-react'
import {
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import type { JsonSchema } from '#sdk/index.ts'
import { stringifyExactJson } from '../../exact-json.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Loading } from '../../ui/loading.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { readDraft, reindent } from './draft.ts'
import { formRefusal } from './form/form-data.ts'
import type { SchemaFormProps } from './form/schema-form.tsx'
import { JsonEditor, useDraftFaults } from './json-editor.tsx'
import type { SchemaFault } from './schema-check.ts'
import { visible } from '../../ui/visible.tsx'

const SchemaForm = lazy(async (): Promise<{ readonly default: ComponentType<SchemaFormProps> }> => ({
  default: await import('./form/schema-form.tsx').then(
    (module) => module.SchemaForm,
    () => NoForm,
  ),
}))

const NoForm = () => <p className="text-soft">The form could not be loaded. Use the JSON editor.</p>

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
  /** Controls at the end of the label's row. */
  readonly aside?: ReactNode
  /** The label of the button for `onSendAnyway`. */
  readonly anyway?: string
  /** Sends a value although it does not match the schema; the service decides. */
  readonly onSendAnyway?: (() => void) | undefined
}

const SHOWN_FAULTS = 5

export const JsonInput = ({
  label,
  text,
  onChange,
  schema,
  refusals,
  attempts,
  placeholder,
  aside,
  anyway = 'Send anyway',
  onSendAnyway,
}: JsonInputProps) => {
  const [view, setView] = useState<'form' | 'json'>('form')
  const settled = useDeferredValue(text)
  const draft = useMemo(() => readDraft(settled), [settled])
  const found = useDraftFaults(text, schema)
  const faults = useMemo(() => eachOnce([...found, ...refusals]), [found, refusals])
  const value = draft.kind === 'value' ? draft.value : undefined
  const refusal = draft.kind === 'broken' ? BROKEN : formRefusal(schema, value, settled)
  const isFormatted = draft.kind !== 'value' || reindent(settled) === settled
  const schemaOfForm = hasForm(schema) ? schema : undefined
  return (
    <div className="@container flex flex-col gap-1.5">
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
          icon={<WandSparkles size={13} aria-hidden="true" />}
          disabledReason={isFormatted ? formatReason(draft.kind) : undefined}
          onClick={() => onChange(reindent(text))}
        >
          Format
        </Button>
      </div>
      <div className={classNames(schemaOfForm && 'grid gap-3 @2xl:grid-cols-[3fr_2fr]')}>
        {schemaOfForm !== undefined && (
          <div className={classNames((refusal !== undefined || view === 'json') && 'hidden @2xl:block')}>
            {refusal === undefined ? (
              <div className="min-h-48 rounded-md border border-line px-3 py-3">
                <Suspense fallback={<Loading what="the form" />}>
                  <SchemaForm
                    schema={schemaOfForm}
                    value={value}
                    onChange={(next) => onChange(stringifyExactJson(next, 2))}
                    faults={attempts > 0 ? faults : refusals}
                  />
                </Suspense>
              </div>
            ) : (
              <p className="rounded-md border border-dashed border-line px-3 py-2 text-soft">{refusal}.</p>
            )}
          </div>
        )}
        {/* The same editor when the schema arrives, so that it keeps the focus and the cursor. */}
        <div className={classNames(schemaOfForm && refusal === undefined && view === 'form' && 'hidden @2xl:block')}>
          <JsonEditor
            label={label}
            text={text}
            onChange={onChange}
            schema={schema}
            refusals={refusals}
            className={schemaOfForm ? 'sticky top-0 h-full max-h-[56vh] min-h-48' : 'h-64'}
            {...(placeholder !== undefined && { placeholder })}
          />
        </div>
      </div>
      <FaultList
        label={label}
        faults={faults}
        isShown={attempts > 0 || refusals.length > 0}
        attempts={attempts}
        anyway={anyway}
        onSendAnyway={draft.kind !== 'broken' && found.length > 0 ? onSendAnyway : undefined}
      />
    </div>
  )
}

/** The service often finds the same faults. */
const eachOnce = (faults: readonly SchemaFault[]): readonly SchemaFault[] => [
  ...new Map(faults.map((fault) => [`${fault.path} ${fault.message}`, fault])).values(),
]

const BROKEN = 'Fix the JSON first: it does not parse'

/** Whether the schema has a form. A particular value may still not fit it. */
const hasForm = (schema: JsonSchema | undefined): schema is JsonSchema =>
  schema !== undefined && formRefusal(schema, undefined, '') === undefined

const formatReason = (kind: 'empty' | 'value' | 'broken'): string => {
  if (kind === 'broken') return BROKEN
  return kind === 'empty' ? 'Nothing to format' : 'Already formatted'
}

/** Lists the faults in words, for users who do not see the marks in the text. */
const FaultList = ({
  label,
  faults,
  isShown,
  attempts,
  anyway,
  onSendAnyway,
}: {
  readonly label: string
  readonly faults: readonly SchemaFault[]
  readonly isShown: boolean
  readonly attempts: number
  readonly anyway: string
  readonly onSendAnyway: (() => void) | undefined
}) => {
  const list = useRef<HTMLUListElement>(null)
  // The list may be far above or below what is in view.
  useEffect(() => {
    // In braces: some browsers return a promise, which React would take for a clean-up.
    list.current?.scrollIntoView({ block: 'nearest' })
  }, [attempts])
  return (
    <div role="alert" className="flex flex-wrap items-start justify-between gap-3">
      {isShown && faults.length > 0 && (
        <ul ref={list} className="flex min-w-0 flex-col gap-0.5 text-xs text-danger">
          {faults.slice(0, SHOWN_FAULTS).map((fault) => (
            <li key={`${fault.path} ${fault.message}`} className="break-words">
              {fault.path !== '' && <span className="font-mono">{visible(fault.path)} </span>}
              {visible(fault.path === '' ? `The ${label.toLowerCase()} ${fault.message}` : fault.message)}
            </li>
          ))}
          {faults.length > SHOWN_FAULTS && <li>and {faults.length - SHOWN_FAULTS} more</li>}
        </ul>
      )}
      {isShown && onSendAnyway !== undefined && (
        <Button small onClick={onSendAnyway}>
          {anyway}
        </Button>
      )}
    </div>
  )
}
