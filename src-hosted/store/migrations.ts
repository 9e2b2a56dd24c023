// The schema as a list of migrations, forward only. What was released is never edited.

import { roles } from './migrations/001-roles.ts'
import { programs } from './migrations/002-programs.ts'
import { executions } from './migrations/003-executions.ts'
import { changes } from './migrations/004-changes.ts'
import { bulks } from './migrations/005-bulks.ts'
import { accept } from './migrations/006-accept.ts'
import { engine } from './migrations/007-engine.ts'
import { upkeep } from './migrations/008-upkeep.ts'
import { deploy } from './migrations/009-deploy.ts'
import { bulkWork } from './migrations/010-bulk-work.ts'
import { effectLogs } from './migrations/011-effect-logs.ts'
import { access } from './migrations/012-access.ts'
import { triggers } from './migrations/013-triggers.ts'
import { environment } from './migrations/014-environment.ts'
import { usage } from './migrations/015-usage.ts'
import { performers } from './migrations/016-performers.ts'
import { firstToken } from './migrations/017-first-token.ts'
import { startMany } from './migrations/018-start-many.ts'
import { startClaims } from './migrations/019-start-claims.ts'
import { commitAtOnce } from './migrations/020-commit-at-once.ts'
import { replaceTriggers } from './migrations/021-replace-triggers.ts'
import { startNewest } from './migrations/022-start-newest.ts'
import { countUnderWay } from './migrations/023-count-under-way.ts'
import { confirmAttempts } from './migrations/024-confirm-attempts.ts'
import { receiveAndLoad } from './migrations/025-receive-and-load.ts'
import { dropOldWakeIndex, overdueInTurn } from './migrations/026-overdue-in-turn.ts'
import { loadPart } from './migrations/028-load-part.ts'
import { commitSeen } from './migrations/029-commit-seen.ts'
import { noteRefused } from './migrations/030-note-refused.ts'
import { markSecret } from './migrations/031-mark-secret.ts'
import { loadShare } from './migrations/032-load-share.ts'
import { keepSecrets } from './migrations/033-keep-secrets.ts'
import { changesInOrder } from './migrations/034-changes-in-order.ts'
import { firstDeath } from './migrations/035-first-death.ts'
import { timersByTime } from './migrations/036-timers-by-time.ts'
import { askForVisits } from './migrations/037-ask-for-visits.ts'
import { heldTimers } from './migrations/038-held-timers.ts'
import { coverCounts, coverWaits } from './migrations/039-cover-counts.ts'
import { awaitedEvents } from './migrations/041-awaited-events.ts'
import { removeVersionOnce } from './migrations/042-remove-version-once.ts'
import { hideDays, sumUsage, usageTotals } from './migrations/043-usage-totals.ts'
import { deleteItems } from './migrations/045-delete-items.ts'
import { bulksAtOnce } from './migrations/046-bulks-at-once.ts'
import { schedulesInTurn } from './migrations/048-schedules-in-turn.ts'
import { expiredKeys } from './migrations/049-expired-keys.ts'
import { bulksInTurn } from './migrations/050-bulks-in-turn.ts'
import { startScheduled } from './migrations/051-start-scheduled.ts'
import { programCreatedOnce } from './migrations/052-program-created-once.ts'
import { newestBeforeUsed } from './migrations/053-newest-before-used.ts'
import { hideUsage, sumBlocks, usageInBlocks } from './migrations/054-usage-in-blocks.ts'
import { commitMany } from './migrations/057-commit-many.ts'
import { lockTriggersInOrder } from './migrations/058-lock-triggers-in-order.ts'
import { confirmByKey } from './migrations/059-confirm-by-key.ts'
import { boundedLeases } from './migrations/060-bounded-leases.ts'
import { boundedCounts } from './migrations/061-bounded-counts.ts'
import { boundedEnvironment } from './migrations/062-bounded-environment.ts'
import { heardPerformers } from './migrations/063-heard-performers.ts'
import { workerAddresses } from './migrations/064-worker-addresses.ts'
import { expiredTokens } from './migrations/065-expired-tokens.ts'
import { failedAt } from './migrations/066-failed-at.ts'
import { noZeroCounts } from './migrations/067-no-zero-counts.ts'
import { firedByHand } from './migrations/068-fired-by-hand.ts'
import { removeWorkspaces } from './migrations/069-remove-workspaces.ts'
import { bulksBesideSlowOnes } from './migrations/070-bulks-beside-slow-ones.ts'
import { bulksWithoutProgress } from './migrations/071-bulks-without-progress.ts'
import { labelsSearched } from './migrations/072-labels-searched.ts'
import { runsAgain } from './migrations/073-runs-again.ts'
import { quickRetries } from './migrations/074-quick-retries.ts'
import type { Migration } from './migrations/migration.ts'

export const MIGRATIONS: readonly Migration[] = [
  roles,
  programs,
  executions,
  changes,
  bulks,
  accept,
  engine,
  upkeep,
  deploy,
  bulkWork,
  effectLogs,
  access,
  triggers,
  environment,
  usage,
  performers,
  firstToken,
  startMany,
  startClaims,
  commitAtOnce,
  replaceTriggers,
  startNewest,
  countUnderWay,
  confirmAttempts,
  receiveAndLoad,
  overdueInTurn,
  dropOldWakeIndex,
  loadPart,
  commitSeen,
  noteRefused,
  markSecret,
  loadShare,
  keepSecrets,
  changesInOrder,
  firstDeath,
  timersByTime,
  askForVisits,
  heldTimers,
  coverCounts,
  coverWaits,
  awaitedEvents,
  removeVersionOnce,
  usageTotals,
  sumUsage,
  deleteItems,
  bulksAtOnce,
  hideDays,
  schedulesInTurn,
  expiredKeys,
  bulksInTurn,
  startScheduled,
  programCreatedOnce,
  newestBeforeUsed,
  usageInBlocks,
  sumBlocks,
  hideUsage,
  commitMany,
  lockTriggersInOrder,
  confirmByKey,
  boundedLeases,
  boundedCounts,
  boundedEnvironment,
  heardPerformers,
  workerAddresses,
  expiredTokens,
  failedAt,
  noZeroCounts,
  firedByHand,
  removeWorkspaces,
  bulksBesideSlowOnes,
  bulksWithoutProgress,
  labelsSearched,
  runsAgain,
  quickRetries,
]
