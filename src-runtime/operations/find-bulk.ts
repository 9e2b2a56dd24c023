import { ApiError } from '../contract/errors.ts'
import type { Bulk } from '../contract/inspection-models.ts'
import { toWire, type WireJson } from '../contract/wire-json.ts'
import type { OperationPorts } from './operation-ports.ts'

export const getBulk = ({ bulks }: Pick<OperationPorts, 'bulks'>, id: string): WireJson<Bulk> =>
  showBulk(bulks.get(id), id)

export const stopBulk = ({ bulks }: Pick<OperationPorts, 'bulks'>, id: string): WireJson<Bulk> =>
  showBulk(bulks.stop(id), id)

const showBulk = (bulk: Bulk | undefined, id: string): WireJson<Bulk> => {
  if (bulk !== undefined) return toWire(bulk)
  throw new ApiError(
    'bulk_not_found',
    `There is no bulk ${JSON.stringify(id.slice(0, 80))}: they are forgotten when the runtime ends.`,
  )
}
