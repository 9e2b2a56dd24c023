// Program hosts without a sandbox: a Program is a function from deliveries to turns. Images are kept, lost and replayed
// as the real hosts do, and every turn takes a moment.

import type { Delivery, TurnOutput } from '../engine/turn.ts'
import type { Activation, ActivationResult, ProgramHosts } from '../sandbox/program-hosts.ts'

/** One Execution's code: what it asks for in the turn of a delivery. Keeps its state in its closure. */
export type ScriptedProgram = (delivery: Delivery) => TurnOutput

const charsOf = ({ operations }: TurnOutput): number => operations.reduce((sum, { data }) => sum + data.length, 0)

/** `outputChars`: with the live turn that reaches it, an activation ends. */
export const createScriptedHosts = (
  programFor: (executionId: string) => ScriptedProgram,
  outputChars: number = Infinity,
) => {
  type Images = Map<string, { readonly program: ScriptedProgram; turnsDone: number }>
  const activations: Activation[] = []
  const forgotten: string[] = []
  let gate: Promise<void> = Promise.resolve()
  let open = () => {}
  /** Of the newest process. */
  let newest: Images = new Map()

  const activateIn = async (images: Images, activation: Activation): Promise<ActivationResult> => {
    activations.push(activation)
    await new Promise((resolve) => setImmediate(resolve))
    await gate
    const { executionId, turnsDone } = activation
    if (turnsDone === 0) images.set(executionId, { program: programFor(executionId), turnsDone: 0 })
    const image = images.get(executionId)
    if (image === undefined || image.turnsDone !== turnsDone) return { kind: 'image_missing' }
    const turns: TurnOutput[] = []
    let chars = 0
    for (const { delivery, expected } of activation.turns) {
      const output = image.program(delivery)
      const turn = image.turnsDone
      image.turnsDone += 1
      if (expected === undefined) {
        turns.push(output)
        chars += charsOf(output)
      } else {
        const found = output.operations.filter((operation) => operation.kind !== 'log')
        const index = Math.max(found.length, expected.length)
        for (let at = 0; at < index; at++) {
          if (found[at]?.data === expected[at]?.data && found[at]?.kind === expected[at]?.kind) continue
          return {
            kind: 'diverged',
            turn,
            ...(expected[at] && { expected: expected[at] }),
            ...(found[at] && { found: found[at] }),
          }
        }
      }
      if (output.outcome.kind === 'suspended') {
        if (chars >= outputChars) break
        continue
      }
      images.delete(executionId)
      break
    }
    return { kind: 'ran', turns, computeMs: 0 }
  }

  /** Hosts of a process that begins. What an earlier one still runs touches none of their images. */
  const newProcess = (): ProgramHosts => {
    const images: Images = new Map()
    newest = images
    return {
      activate: (activation) => activateIn(images, activation),
      check: () => Promise.resolve({ ok: true }),
      forget: (executionId) => {
        forgotten.push(executionId)
        images.delete(executionId)
      },
      stop: () => Promise.resolve(),
    }
  }
  return {
    newProcess,
    activations,
    forgotten,
    loseImages: () => newest.clear(),
    /** Turns do not end until `resume`. */
    hold: () => {
      gate = new Promise((resolve) => {
        open = resolve
      })
    },
    resume: () => open(),
  }
}
