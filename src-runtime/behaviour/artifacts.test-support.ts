/**
 * A Program that does what its input says: `{ "do": "wait", "for": "go" }` waits for an event and returns its payload.
 * Any other input is returned.
 */
const SCRIPTED = `({ run: async (ctx, input) => {
  switch (input?.do) {
    case 'return': return input.value
    case 'fail': throw new Error(input.message)
    case 'wait': return ctx.waitForEvent(input.for, input.timeoutMs === undefined ? {} : { timeout: input.timeoutMs })
    case 'sleep': return void (await ctx.sleep(input.ms))
    default: return input
  }
} })`

export const artifact = (id: string, rest: Readonly<Record<string, unknown>> = {}) => ({
  format: 'wes.program/1',
  id,
  program: { code: SCRIPTED },
  ...rest,
})

/** A Program that runs `body` as an asynchronous function of `ctx` and `input`. */
export const programOf = (id: string, body: string) =>
  artifact(id, { program: { code: `({ run: async (ctx, input) => { ${body} } })` } })
