// Calls of a webhook to copy. A signed call follows https://www.standardwebhooks.com; the secret comes from the
// environment and is never part of a snippet.

import { stringifyExactJson } from '../../exact-json.ts'
import { quoted } from '../../parts/snippets/shell.ts'

export type WebhookCall = { readonly url: string; readonly input: unknown }

const bodyOf = ({ input }: WebhookCall): string => stringifyExactJson(input ?? {})

export const curlCall = (call: WebhookCall): string =>
  [`curl -sS ${quoted(call.url)}`, `-H 'Content-Type: application/json'`, `--data-raw ${quoted(bodyOf(call))}`].join(
    ' \\\n  ',
  )

export const signedCurlCall = (call: WebhookCall): string => `# WEBHOOK_SECRET=whsec_…
body=${quoted(bodyOf(call))}
id="msg_$(openssl rand -hex 12)"
now="$(date +%s)"
key="$(printf %s "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')"
signature="$(printf %s "$id.$now.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)"
curl -sS ${quoted(call.url)} \\
  -H 'Content-Type: application/json' \\
  -H "webhook-id: $id" \\
  -H "webhook-timestamp: $now" \\
  -H "webhook-signature: v1,$signature" \\
  --data-raw "$body"`

export const signedNodeCall = (call: WebhookCall): string => `// npm install standardwebhooks
import { randomUUID } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

const body = JSON.stringify(${stringifyExactJson(call.input ?? {})})
const id = \`msg_\${randomUUID()}\`
const now = new Date()
const signature = new Webhook(process.env.WEBHOOK_SECRET).sign(id, now, body)

const answer = await fetch(${JSON.stringify(call.url)}, {
  method: 'POST',
  headers: {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signature,
  },
  body,
})
console.log(answer.status, await answer.text())`
