import { describe, expect, it } from 'vitest'
import { inWordsOfFlags, placeInList, placeOfFlags, triggerFaults } from './service-faults.ts'

describe('what the service says of a request', () => {
  it.each([
    ['query/from must not be later than query/to', '--from must not be later than --to'],
    ['query/groupBy must be one of "day"', '--group-by must be one of "day"'],
    ['headers/idempotency-key must not be empty', '--idempotency-key must not be empty'],
    ['headers/x-service-project-id must be text', '--project-id must be text'],
    [
      'body/name must not be empty; body/role must be one of "read"',
      'name must not be empty; role must be one of "read"',
    ],
    ['body/set/"A B" must be text', '"A B" must be text'],
    ['body must have "name"', 'body must have "name"'],
  ])('%s', (message, words) => {
    expect(inWordsOfFlags(message)).toBe(words)
  })
})

describe('what is wrong with a list of Triggers', () => {
  const items = [{ id: 'trg_1', programId: 'orders' }, { name: 'nightly' }, 7]
  const inFile = placeInList('triggers.json', items)

  it.each([
    ['body/triggers/1/cron "x" never fires', 'triggers.json: entry 2 (nightly): cron "x" never fires'],
    ['body/triggers/0 must have "type"', 'triggers.json: entry 1 (trg_1) must have "type"'],
    ['body/triggers/2 must be object', 'triggers.json: entry 3 must be object'],
    ['body/triggers must not have more than 1000 items', 'triggers.json: the list must not have more than 1000 items'],
    [
      'body/triggers/0/type must be one of "a"; body/triggers/1/input/x must be string',
      'triggers.json: entry 1 (trg_1): type must be one of "a"; triggers.json: entry 2 (nightly): input/x must be string',
    ],
  ])('is said by file, entry and field: %s', (message, words) => {
    expect(triggerFaults(message, inFile)).toBe(words)
  })

  it('is said by flag for what was added, and by id for others', () => {
    const place = placeOfFlags([{ id: 'trg_1', name: 'shop' }, {}], 1)
    expect(triggerFaults('body/triggers/1/timezone "x" is not an IANA time zone', place)).toBe(
      '--timezone: "x" is not an IANA time zone',
    )
    expect(triggerFaults('body/triggers/1 must have "x"', place)).toBe('The new Trigger must have "x"')
    expect(triggerFaults('body/triggers/0/cron "x" never fires', place)).toBe(
      'Trigger trg_1 (shop): cron "x" never fires',
    )
  })

  it('is left as it is if it is about something else', () => {
    expect(triggerFaults('X-Service-Project-Id names another project than the path', inFile)).toBeUndefined()
  })
})
