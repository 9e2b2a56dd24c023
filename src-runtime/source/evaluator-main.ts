// The process in which describing bundles are evaluated: the project's own schemas, and the libraries that made them.
// It has no files, no environment and little memory, and it is replaced when it does not answer.

import { Script } from 'node:vm'
import { describeModules, type EvaluatedModules } from './describe-modules.ts'

type Request = { readonly id: number; readonly code: string }

const answer = ({ id, code }: Request): void => {
  try {
    const modules = new Script(code, { filename: 'describe.js' }).runInThisContext() as EvaluatedModules
    process.send?.({ id, described: describeModules(modules) })
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    process.send?.({ id, error: { name, message, ...(stack !== undefined && { stack }) } })
  }
}

process.on('message', (request: Request) => answer(request))
process.on('disconnect', () => process.exit())
