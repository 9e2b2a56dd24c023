// The process that evaluates describing bundles: the project's schemas and their libraries. It has no access to files,
// the network and the environment, has little memory, and is replaced when it does not answer.

import { Script } from 'node:vm'
import { findParentPort } from '../shared/parent-port.ts'
import { describeModules, type EvaluatedModules } from './describe-modules.ts'
import { restrictProcess } from './restrict-process.ts'

type Request = { readonly id: number; readonly code: string; readonly limitMs: number }

const parentPort = findParentPort()

const send = process.send?.bind(process)

const say = (message: object): void => {
  if (parentPort === undefined) send?.(message)
  else parentPort.postMessage(message)
}

const answer = ({ id, code, limitMs }: Request): void => {
  try {
    const script = new Script(code, { filename: 'describe.js' })
    const modules = script.runInThisContext({ timeout: limitMs }) as EvaluatedModules
    say({ id, described: describeModules(modules) })
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    say({ id, error: { name, message, ...(stack !== undefined && { stack }) } })
  }
}

parentPort?.on('message', ({ data }) => answer(data as Request))
process.on('message', (request: Request) => answer(request))
process.on('disconnect', () => process.exit())
restrictProcess()
