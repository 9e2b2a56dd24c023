// The outcomes of the attempts in a host that was killed or died, which of them begin again, and which run alone from then on.

import type { Attempt } from './attempt.ts'
import type { Culprit, Verdict } from './check-host.ts'
import type { EffectOutcome } from './effect-performer.ts'
import { blockedItsHost, crashed, restarted, timedOut } from './failures.ts'
import type { HostWork } from './host-work.ts'
import type { IsolatedAttempts } from './isolated-attempts.ts'
import type { EffectHostExit } from './spawn-effect-host.ts'

type Kill = Extract<Verdict, { kind: 'kill' }>

/** Returns what blocked the host, and the other attempts in it that are to be performed again. */
export const settleKilled = (
  work: HostWork,
  { culprit, why }: Kill,
  blockedMs: number,
  isolated: IsolatedAttempts,
): { readonly name: string; readonly interrupted: readonly Attempt[] } => {
  const blamed = culprit.kind === 'attempt' ? work.attempt(culprit.id) : undefined
  const name = nameOf(culprit, blamed)
  const isCertain = culprit.stack !== '' || work.occupied === 1
  const others = `${name} blocked it for ${Math.round(blockedMs / 100) / 10} s`
  const interrupted: Attempt[] = []
  for (const attempt of work.wanted()) {
    const isOfLoad = culprit.kind === 'load' && attempt.bundle.digest === culprit.bundle
    if (isOfLoad || (isCertain && attempt === blamed)) isolated.noteBlock(attempt)
    else if (!isCertain) isolated.noteCrash(attempt, false)
    if (attempt === blamed) attempt.settle(outcomeOfBlamed(attempt, why, culprit, blockedMs))
    else if (!isOfLoad && attempt.interrupt(`was stopped because ${others}`)) interrupted.push(attempt)
    else attempt.settle(restarted(attempt.call.name, others))
  }
  return { name, interrupted }
}

/** Returns the attempts that are to be performed again: of several suspects that shared a host, one may be the cause again. */
export const settleCrashed = (
  work: HostWork,
  exit: EffectHostExit,
  printed: string,
  heapLimit: string,
  isolated: IsolatedAttempts,
): readonly Attempt[] => {
  const others = work.occupied - 1
  const interrupted: Attempt[] = []
  for (const attempt of work.wanted()) {
    const isOfSuspects = others > 0 && isolated.mayShare(attempt)
    isolated.noteCrash(attempt, others === 0)
    if (isOfSuspects && attempt.interrupt('ended, which another attempt may have caused')) interrupted.push(attempt)
    else attempt.settle(crashed(attempt.call.name, others, exit, printed, heapLimit))
  }
  return interrupted
}

const nameOf = (culprit: Culprit, blamed: Attempt | undefined): string => {
  if (blamed !== undefined) return `effect "${blamed.call.name}"`
  if (culprit.kind === 'load') return 'a module that was being loaded'
  return culprit.kind === 'unknown' ? 'one of its effects' : 'code that belongs to no attempt'
}

const outcomeOfBlamed = ({ call }: Attempt, why: Kill['why'], { stack }: Culprit, blockedMs: number): EffectOutcome => {
  const where = stack === '' ? undefined : `blocked\n${stack}`
  if (why === 'others_wait') return blockedItsHost(call.name, blockedMs, where)
  return timedOut(call.name, call.timeoutMs, ': it blocked its process, which was stopped', where)
}
