import { ApiError } from '../contract/errors.ts'
import type { Bulk } from '../contract/inspection-models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { OperationPorts } from '../ports/operation-ports.ts'
import { beginningOf } from '../shared/beginning-of.ts'

export const getBulk = async ({ bulks }: Pick<OperationPorts, 'bulks'>, id: string): Promise<WireJson<Bulk>> =>
  showBulk(await bulks.get(id), id)

export const stopBulk = async ({ bulks }: Pick<OperationPorts, 'bulks'>, id: string): Promise<WireJson<Bulk>> =>
  showBulk(await bulks.stop(id), id)

const showBulk = (bulk: Bulk | undefined, id: string): WireJson<Bulk> => {
  if (bulk !== undefined) return toWire(bulk)
  throw new ApiError(
    'bulk_not_found',
    `There is no bulk ${JSON.stringify(beginningOf(id, 80))}: bulks are forgotten some time after they ended, and when a local runtime ends.`,
  )
}
