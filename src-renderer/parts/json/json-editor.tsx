// A JSON editor with completion and checks from a schema, loaded when first shown. If it cannot be loaded, a plain text
// area replaces it.

import { lazy, Suspense, useDeferredValue, useMemo } from 'react'
import type { JsonSchema } from '#sdk/index.ts'
import { classNames } from '../../ui/class-names.ts'
import type { CodeEditorProps } from './code-editor.tsx'
import { faultsOfDraft, readDraft } from './draft.ts'
import { createSchemaCheck, type SchemaFault } from './schema-check.ts'

export const CodeEditor = lazy(async () => ({
  default: await import('./code-editor.tsx').then(
    (module) => module.CodeEditor,
    () => PlainEditor,
  ),
}))

const PlainEditor = ({ label, text, onChange, faults = [] }: CodeEditorProps) => (
  <textarea
    aria-label={label}
    aria-invalid={faults.length > 0 || undefined}
    value={text}
    readOnly={onChange === undefined}
    spellCheck={false}
    onChange={(event) => onChange?.(event.currentTarget.value)}
    className="block h-full w-full resize-none bg-transparent p-2 font-mono text-xs outline-none"
  />
)

export type JsonEditorProps = {
  /** The accessible name, such as `Input` or `Payload`. */
  readonly label: string
  readonly text: string
  readonly onChange: (text: string) => void
  readonly schema?: JsonSchema | undefined
  /** Further faults, such as those that the service named. */
  readonly refusals?: readonly SchemaFault[]
  readonly placeholder?: string
  /** Once it has loaded: see `takeFocus`. */
  readonly takesFocus?: boolean
  readonly className?: string
}

const NO_REFUSALS: readonly SchemaFault[] = []
const DESCRIPTION = 'JSON editor. Control Space suggests, Shift Alt F formats, Tab leaves.'

/** Edits text; `readDraft` parses it. */
export const JsonEditor = ({
  label,
  text,
  onChange,
  schema,
  refusals = NO_REFUSALS,
  placeholder,
  takesFocus,
  className,
}: JsonEditorProps) => {
  const found = useDraftFaults(text, schema)
  const faults = useMemo(() => [...found, ...refusals], [found, refusals])
  return (
    <div
      className={classNames(
        'rounded-md border border-edge bg-page has-focus-within:border-accent has-focus-within:outline has-focus-within:outline-accent',
        className ?? 'h-48',
      )}
    >
      <Suspense fallback={<div aria-busy="true" className="h-full" />}>
        <CodeEditor
          label={label}
          description={DESCRIPTION}
          text={text}
          onChange={onChange}
          schema={schema}
          faults={faults}
          placeholder={placeholder}
          takesFocus={takesFocus}
        />
      </Suspense>
    </div>
  )
}

/** Checks the text a moment after the user typed. */
export const useDraftFaults = (text: string, schema: JsonSchema | undefined): readonly SchemaFault[] => {
  const settled = useDeferredValue(text)
  const check = useMemo(() => (schema === undefined ? undefined : createSchemaCheck(schema)), [schema])
  return useMemo(() => faultsOfDraft(settled, readDraft(settled), check), [settled, check])
}
