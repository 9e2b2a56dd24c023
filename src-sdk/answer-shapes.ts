// The members by which the client recognises an answer of the API. It looks at no others: a newer service may have more
// members and other values.

import { isRecord } from './transport.ts'

export type Shape = (answer: Readonly<Record<string, unknown>>) => boolean

export const anyObject: Shape = () => true
export const list: Shape = ({ items }) => Array.isArray(items)
/** Programs, projects, receipts and whatever else has an id of its own. */
export const identified: Shape = ({ id }) => typeof id === 'string'
export const execution: Shape = ({ id, status }) => typeof id === 'string' && typeof status === 'string'
export const resultView: Shape = ({ status }) => typeof status === 'string'
export const whoAmI: Shape = ({ workspace }) => isRecord(workspace)
