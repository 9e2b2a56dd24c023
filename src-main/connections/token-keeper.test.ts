import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import type { SavedConnection } from '../../src-runtime/connections/models.ts'
import { TokenLockedError } from '../../src-runtime/connections/token-keeper.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { openConnectionsStore } from './connections-store.ts'
import { createSecretBox, type SecretStorage } from './secret-box.ts'
import { createTokenKeeper } from './token-keeper.ts'

const log = pino({ level: 'silent' })
const ACME: SavedConnection = {
  id: 'acme',
  name: 'Acme',
  address: 'https://a.example',
  colour: 'violet',
  isProduction: false,
}

type Desktop = {
  backend: ReturnType<SecretStorage['getSelectedStorageBackend']>
  /** How its ciphertexts begin. */
  prefix: 'v10' | 'v11'
  key: number
  fails?: string
  isOldKey?: boolean
  /** The keychain asks its user first. */
  asks?: Promise<void>
}

/** Electron's storage on a desktop that a test can change; `key` stands for the key in its keychain. */
const storageOf = (desktop: Desktop): SecretStorage => ({
  getSelectedStorageBackend: () => desktop.backend,
  encryptStringAsync: async (text) => {
    await desktop.asks
    if (desktop.fails !== undefined) throw new Error(desktop.fails)
    return Buffer.from(`${desktop.prefix}${desktop.key}${[...text].toReversed().join('')}`)
  },
  decryptStringAsync: async (sealed) => {
    await desktop.asks
    if (desktop.fails !== undefined) throw new Error(desktop.fails)
    const text = sealed.toString()
    if (text.startsWith('v11') && text[3] !== String(desktop.key)) throw new Error('Error while decrypting')
    return { result: [...text.slice(4)].toReversed().join(''), shouldReEncrypt: desktop.isOldKey ?? false }
  },
})

const KEYCHAIN: Desktop = { backend: 'gnome_libsecret', prefix: 'v11', key: 1 }
const NO_KEYCHAIN: Desktop = { backend: 'basic_text', prefix: 'v10', key: 1 }

const rig = (given: Desktop, platform: NodeJS.Platform = 'linux', answerLimitMs?: number) => {
  const folder = temporaryFolder('tokens')
  const path = join(folder, 'connections.json')
  const desktop = { ...given }
  const damage: unknown[] = []
  const start = () => {
    const { file, sealed } = openConnectionsStore(path, (fault) => damage.push(fault))
    const box = createSecretBox(storageOf(desktop), platform)
    return { file, keeper: createTokenKeeper({ box, sealed, log, ...(answerLimitMs && { answerLimitMs }) }) }
  }
  const first = start()
  first.file.save([ACME])
  return { ...first, start, desktop, path, folder, damage, stored: () => readFileSync(path, 'utf8') }
}

describe('a token', () => {
  it('is stored encrypted, in a file of its owner, and survives a restart', async () => {
    const { keeper, start, path, stored } = rig(KEYCHAIN)
    expect(await keeper.storing()).toBe('keychain')
    expect(await keeper.keep('acme', 'wes_secret', 'stored')).toBe('keychain')
    expect(stored()).not.toContain('wes_secret')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const again = start()
    expect(await again.keeper.place('acme')).toBe('keychain')
    expect(await again.keeper.read('acme')).toBe('wes_secret')
    expect(again.file.load()).toEqual([ACME])
  })

  it('for this run only is nowhere on the disk, and replaces a stored one', async () => {
    const { keeper, start, stored } = rig(KEYCHAIN)
    await keeper.keep('acme', 'one', 'stored')
    expect(await keeper.keep('acme', 'two', 'run')).toBe('run')
    expect([await keeper.read('acme'), await keeper.place('acme')]).toEqual(['two', 'run'])
    expect(JSON.parse(stored())).toMatchObject({ tokens: {} })
    const again = start().keeper
    expect([await again.read('acme'), await again.place('acme')]).toEqual([undefined, 'none'])
  })

  it('is removed from the disk and from memory', async () => {
    const { keeper, stored } = rig(KEYCHAIN)
    for (const how of ['stored', 'run'] as const) {
      await keeper.keep('acme', 'one', how)
      await keeper.remove('acme')
      await keeper.remove('acme')
      expect([await keeper.read('acme'), await keeper.place('acme')]).toEqual([undefined, 'none'])
    }
    expect(JSON.parse(stored())).toEqual({ connections: [ACME], tokens: {} })
  })

  it.each<[string, Desktop, NodeJS.Platform, string]>([
    ['Linux without a keychain', NO_KEYCHAIN, 'linux', 'obfuscated'],
    ['Linux whose keychain Electron does not know', { ...KEYCHAIN, backend: 'unknown' }, 'linux', 'obfuscated'],
    ['macOS, where every ciphertext begins with v10', { ...NO_KEYCHAIN, backend: 'unknown' }, 'darwin', 'keychain'],
  ])('is called what it is on %s', async (_what, desktop, platform, expected) => {
    const { keeper } = rig(desktop, platform)
    expect(await keeper.storing()).toBe(expected)
    expect(await keeper.keep('acme', 'one', 'stored')).toBe(expected)
    expect([await keeper.place('acme'), await keeper.read('acme')]).toEqual([expected, 'one'])
  })

  it('is not stored with less protection than the user was told', async () => {
    const { keeper, stored } = rig({ ...KEYCHAIN, prefix: 'v10' })
    expect(await keeper.storing()).toBe('keychain')
    expect(await keeper.keep('acme', 'one', 'stored')).toBe('run')
    expect(JSON.parse(stored())).toMatchObject({ tokens: {} })
    expect(await keeper.storing()).toBe('obfuscated')
    expect(await keeper.keep('acme', 'one', 'stored')).toBe('obfuscated')
  })

  it('is kept for this run if it cannot be encrypted', async () => {
    const { keeper, desktop } = rig(KEYCHAIN)
    desktop.fails = 'Error while encrypting'
    expect(await keeper.keep('acme', 'one', 'stored')).toBe('run')
    expect(await keeper.read('acme')).toBe('one')
  })

  it('stays stored while the keychain is locked', async () => {
    const { keeper, desktop, start } = rig(KEYCHAIN)
    await keeper.keep('acme', 'one', 'stored')
    desktop.fails = 'safeStorage.decryptStringAsync is temporarily unavailable. Please try again.'
    const again = start().keeper
    await expect(again.read('acme')).rejects.toThrow(TokenLockedError)
    expect(await again.place('acme')).toBe('keychain')
    delete desktop.fails
    expect(await again.read('acme')).toBe('one')
  })

  it('stays stored when its key is gone, and is there again with the key', async () => {
    const { keeper, desktop } = rig(KEYCHAIN)
    await keeper.keep('acme', 'one', 'stored')
    desktop.key = 2
    expect([await keeper.read('acme'), await keeper.place('acme')]).toEqual([undefined, 'none'])
    desktop.key = 1
    expect([await keeper.read('acme'), await keeper.place('acme')]).toEqual(['one', 'keychain'])
  })

  it('is there when it was replaced while the one before was found unreadable', async () => {
    const { keeper, desktop } = rig(KEYCHAIN)
    await keeper.keep('acme', 'one', 'stored')
    desktop.key = 2
    const answered = Promise.withResolvers<void>()
    desktop.asks = answered.promise
    const read = keeper.read('acme')
    delete desktop.asks
    await keeper.keep('acme', 'two', 'stored')
    answered.resolve()
    expect(await read).toBeUndefined()
    expect(await keeper.place('acme')).toBe('keychain')
  })

  it('is kept for this run while the keychain waits for its user, and stored once they have answered', async () => {
    const { keeper, desktop, start, stored } = rig(KEYCHAIN, 'linux', 20)
    const answered = Promise.withResolvers<void>()
    desktop.asks = answered.promise
    expect(await keeper.keep('acme', 'one', 'stored')).toBe('run')
    expect(await keeper.keep('acme', 'two', 'stored')).toBe('run')
    expect(await keeper.keep('eve', 'three', 'stored')).toBe('run')
    await keeper.remove('eve')
    expect([await keeper.read('acme'), await keeper.place('acme')]).toEqual(['two', 'run'])
    answered.resolve()
    await vi.waitFor(async () => expect(await keeper.place('acme')).toBe('keychain'))
    expect(Object.keys((JSON.parse(stored()) as { tokens: object }).tokens)).toEqual(['acme'])
    expect(await start().keeper.read('acme')).toBe('two')
  })

  it('is called locked while the keychain waits for its user, and waits for no new key', async () => {
    const { keeper, desktop } = rig(KEYCHAIN, 'linux', 20)
    await keeper.keep('acme', 'one', 'stored')
    desktop.asks = new Promise(() => undefined)
    await expect(keeper.read('acme')).rejects.toThrow(TokenLockedError)
    delete desktop.asks
    desktop.isOldKey = true
    const read = keeper.read('acme')
    // Asked once the token is decrypted.
    desktop.asks = new Promise(() => undefined)
    expect(await read).toBe('one')
  })

  it('is encrypted again with a newer or better key, and never with a worse one', async () => {
    const { keeper, desktop, stored } = rig(NO_KEYCHAIN)
    await keeper.keep('acme', 'one', 'stored')
    Object.assign(desktop, { ...KEYCHAIN, isOldKey: true })
    expect(await keeper.read('acme')).toBe('one')
    expect(await keeper.place('acme')).toBe('keychain')
    const better = stored()
    Object.assign(desktop, { prefix: 'v10' })
    expect(await keeper.read('acme')).toBe('one')
    expect(stored()).toBe(better)
    Object.assign(desktop, { fails: undefined })
    expect(await keeper.read('acme')).toBe('one')
  })
})

describe('the file of the connections', () => {
  it('loses no token when connections change', async () => {
    const { keeper, file, start } = rig(KEYCHAIN)
    await keeper.keep('acme', 'one', 'stored')
    file.save([{ ...ACME, name: 'Acme EU' }])
    expect(await start().keeper.read('acme')).toBe('one')
  })

  it('is put aside if it is damaged', () => {
    const { path, start, damage, folder } = rig(KEYCHAIN)
    for (const text of ['{', '{"connections":[{"id":"../x"}],"tokens":{}}', '[]']) {
      writeFileSync(path, text)
      expect(start().file.load()).toEqual([])
      expect(readFileSync(join(folder, 'connections.json.unreadable'), 'utf8')).toBe(text)
    }
    expect(damage).toEqual(Array(3).fill('damaged'))
  })

  it('is put aside without its tokens', async () => {
    const { keeper, start, stored, path, folder } = rig(KEYCHAIN)
    await keeper.keep('acme', 'wes_a-long-enough-secret', 'stored')
    const whole = stored()
    const sealed = (JSON.parse(whole) as { tokens: { acme: string } }).tokens.acme
    for (const text of [
      whole.slice(0, -3),
      whole.replace('"violet"', '"pale"'),
      whole.replace('https://a.example', 'ftp://https://a.example'),
    ]) {
      writeFileSync(path, text)
      expect(start().file.load()).toEqual([])
      const aside = readFileSync(join(folder, 'connections.json.unreadable'), 'utf8')
      expect(aside).toContain('https://a.example')
      expect(aside).not.toContain(sealed.slice(0, 20))
      expect(existsSync(path)).toBe(false)
    }
  })

  it('is not written over if it cannot be read', async () => {
    const { path, start, damage } = rig(KEYCHAIN)
    rmSync(path)
    mkdirSync(path)
    const { file, keeper } = start()
    expect([file.load(), damage]).toEqual([[], ['unread']])
    rmSync(path, { recursive: true })
    expect(() => file.save([ACME])).toThrow(/nothing is saved/)
    await expect(keeper.keep('acme', 'one', 'stored')).rejects.toThrow(/nothing is saved/)
    expect(existsSync(path)).toBe(false)
  })

  it('has no token without its connection, even after a crash', async () => {
    const { keeper, start, stored } = rig(KEYCHAIN)
    await keeper.keep('gone', 'one', 'stored')
    const again = start()
    expect(await again.keeper.place('gone')).toBe('none')
    again.file.save([ACME])
    expect(JSON.parse(stored())).toMatchObject({ tokens: {} })
  })
})
