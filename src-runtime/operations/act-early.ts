import { ApiError } from '../contract/errors.ts'
import type { Execution } from '../contract/models.ts'
import type { WireJson } from '../contract/wire-json.ts'
import type { EarlyAction } from '../engine/act-early.ts'
import type { ProjectPorts } from './choose-project.ts'
import { findHead, stillThere, unknownExecution, type WhichExecution } from './find-execution.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { showExecution } from './show-execution.ts'
import { beginningOf } from '../shared/beginning-of.ts'

const REASONS = {
  not_open: 'is not open: it was answered already, or there is no such command',
  no_timeout: 'is a wait without a time-out: there is nothing to fire. Send it its event instead',
  under_way: 'is an effect whose attempt is under way: there is nothing to retry now',
  effect: 'is an effect, which does not fire. Retry it instead',
  not_an_effect: 'is no effect: there is nothing to retry. Fire it instead',
}

/** Repeatable, as long as the command is open. */
export const actEarly = async (
  ports: ProjectPorts & Pick<OperationPorts, 'worker'>,
  action: EarlyAction,
  { command, ...which }: WhichExecution & { readonly command: string },
): Promise<WireJson<Execution>> => {
  const { id, key } = await findHead(ports, which)
  const number = /^[1-9]\d{0,8}$/.test(command) ? Number(command) : 0
  const outcome = await ports.worker.actEarly(key, action, number)
  if (outcome.kind === 'gone') throw unknownExecution(id)
  if (outcome.kind === 'refused') {
    throw new ApiError(
      'command_not_open',
      `Command ${beginningOf(command, 20)} of Execution ${id} ${REASONS[outcome.why]}.`,
    )
  }
  return showExecution(stillThere(await ports.store.executions.whole(key)))
}
