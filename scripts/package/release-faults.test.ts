import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { releaseFaults } from './release-faults.ts'

const TAG = { GITHUB_REF: 'refs/tags/v1.2.3' }
const ADA = { linux: { maintainer: 'Ada Lovelace <ada@engines.co.uk>' } }

describe('a release', () => {
  it('is refused while the maintainer is a placeholder, as in this repository', () => {
    const config = parse(readFileSync(join(import.meta.dirname, '../../electron-builder.yml'), 'utf8')) as typeof ADA
    expect(releaseFaults(config, {}, TAG)).toEqual([
      expect.stringMatching(
        /^A release needs somebody to write to: linux\.maintainer in electron-builder\.yml is ".*\.invalid>"\./,
      ),
    ])
  })

  it.each(['', 'Ada', 'Ada <ada@example.com>', 'Ada <ada@wes.test>', 'Ada <ada@localhost>'])(
    'is refused for the maintainer %j',
    (maintainer) => {
      expect(releaseFaults({ linux: { maintainer } }, {}, TAG)).toHaveLength(1)
    },
  )

  it('is refused for a homepage that cannot exist', () => {
    expect(releaseFaults(ADA, { homepage: 'https://wes.invalid/' }, TAG)).toEqual([expect.stringContaining('homepage')])
  })

  it('is made with addresses that may exist', () => {
    expect(releaseFaults(ADA, {}, TAG)).toEqual([])
    expect(releaseFaults(ADA, { homepage: 'https://contest.io/invalid-invoices' }, TAG)).toEqual([])
  })
})

it('packages that are not released need no address', () => {
  for (const env of [{}, { GITHUB_REF: 'refs/heads/main' }, { GITHUB_REF: 'refs/tags/beta' }]) {
    expect(releaseFaults({}, {}, env)).toEqual([])
  }
})
