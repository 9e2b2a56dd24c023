// How to call a webhook, to copy: with a body that the Program most likely accepts.

import { useState } from 'react'
import type { Trigger } from '#sdk/index.ts'
import { exampleValue } from '../../parts/json/example-value.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { useProgramSchema } from './use-program-schema.ts'
import { curlCall, signedCurlCall, signedNodeCall } from './webhook-snippets.ts'

type Language = 'curl' | 'node'

export const WebhookCall = ({ trigger }: { readonly trigger: Trigger }) => {
  const [language, setLanguage] = useState<Language>('curl')
  const { schema, state } = useProgramSchema(trigger.programId)
  if (state === 'loading' || trigger.url === undefined) return null
  const call = { url: trigger.url, input: exampleValue(schema) }
  const isSigned = trigger.signed === true
  const text = !isSigned ? curlCall(call) : language === 'curl' ? signedCurlCall(call) : signedNodeCall(call)
  const label = isSigned && language === 'node' ? 'Node' : 'curl'
  return (
    <section aria-label="Call it" className="flex min-w-0 flex-col gap-1.5">
      <div className="flex h-6 items-center gap-2">
        <h2 className="font-medium">Call it</h2>
        {isSigned && (
          <Segmented<Language>
            label="Language"
            value={language}
            options={[
              { value: 'curl', label: 'curl' },
              { value: 'node', label: 'Node' },
            ]}
            onChange={setLanguage}
          />
        )}
        <span className="ml-auto">
          <CopyButton label={`Copy as ${label}`} text={text} />
        </span>
      </div>
      <pre
        tabIndex={0}
        aria-label={label}
        className="overflow-x-auto rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs"
      >
        {text}
      </pre>
      {isSigned && (
        <p className="text-xs text-faint">
          It reads the signing secret from <span className="font-mono">WEBHOOK_SECRET</span>.
        </p>
      )}
      {!trigger.enabled && <p className="text-xs text-waiting">It answers 404 while the Trigger is disabled.</p>}
    </section>
  )
}
