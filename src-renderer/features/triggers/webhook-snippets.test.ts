// The end-to-end tests run what is copied here.

import { expect, it } from 'vitest'
import { curlCall, signedCurlCall, signedNodeCall } from './webhook-snippets.ts'

const call = { url: 'https://hooks.test/abc', input: { note: "it's $5" } }

it('quotes the body for the shell', () => {
  expect(curlCall(call)).toBe(
    `curl -sS 'https://hooks.test/abc' \\
  -H 'Content-Type: application/json' \\
  --data-raw '{"note":"it'\\''s $5"}'`,
  )
  expect(signedCurlCall(call)).toContain(`body='{"note":"it'\\''s $5"}'\n`)
})

it('sends an empty object where the Program does not say what it takes', () => {
  expect(curlCall({ ...call, input: undefined })).toContain("--data-raw '{}'")
  expect(signedNodeCall({ ...call, input: undefined })).toContain('JSON.stringify({})')
})

it('reads the secret from the environment', () => {
  expect(signedCurlCall(call)).toContain('${WEBHOOK_SECRET#whsec_}')
  expect(signedNodeCall(call)).toContain('process.env.WEBHOOK_SECRET')
})
