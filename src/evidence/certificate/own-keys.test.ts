import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isEndorsed, ownKeys, rotateKey, signingKey, toTrustedKeys } from './own-keys.ts'
import {
  parseTrustedKeys,
  renderTrustedKeys,
  trustedKeys,
  trustKeys,
  untrustKey,
} from './trusted-keys.ts'

let folder: string
const now = Date.parse('2026-01-01T00:00:00Z')
const keys = (...parts: readonly string[]): string => join(folder, 'keys', ...parts)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'loopwright-keys-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('the key of an installation', () => {
  test('is created once, and is private to the user', async () => {
    expect(await ownKeys(folder)).toEqual([])
    expect(existsSync(keys())).toBe(false)
    const made = await signingKey(folder, now)
    expect(made).toEqual(await signingKey(folder, now + 1))
    expect(made.installation).toBe(made.id)
    expect(statSync(keys()).mode & 0o777).toBe(0o700)
    expect(statSync(keys('1.json')).mode & 0o777).toBe(0o600)
  })

  test('is the same for all concurrent callers', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => signingKey(folder, now)))
    expect(new Set(made.map(({ id }) => id)).size).toBe(1)
    expect(readdirSync(keys())).toEqual(['1.json'])
  })

  test.each<[string, () => void, RegExp]>([
    ['can be read by others', () => chmodSync(keys('1.json'), 0o640), /chmod 600/],
    ['is in a folder that others can read', () => chmodSync(keys(), 0o755), /chmod 700/],
    [
      'is a link',
      () => {
        renameSync(keys('1.json'), join(folder, 'elsewhere'))
        symlinkSync(join(folder, 'elsewhere'), keys('1.json'))
      },
      /is a link/,
    ],
    [
      'has another hard link',
      () => linkSync(keys('1.json'), join(folder, 'copy')),
      /another hard link/,
    ],
    [
      'is behind a linked folder',
      () => {
        renameSync(keys(), join(folder, 'elsewhere'))
        symlinkSync(join(folder, 'elsewhere'), keys())
      },
      /is a link, or not a folder/,
    ],
  ])('that %s is refused with advice', async (_what, change, message) => {
    await signingKey(folder, now)
    change()
    await expect(signingKey(folder, now)).rejects.toMatchObject({
      code: 'not-configured',
      message: expect.stringMatching(message),
    })
  })

  test('that is damaged is not replaced silently', async () => {
    await signingKey(folder, now)
    const text = readFileSync(keys('1.json'), 'utf8')
    for (const damaged of ['', '{}', text.replace(/"publicKey": "../, '"publicKey": "00')]) {
      writeFileSync(keys('1.json'), damaged)
      await expect(signingKey(folder, now)).rejects.toMatchObject({ code: 'store-damaged' })
    }
  })

  test('whose creation was interrupted between its two names is used', async () => {
    const made = await signingKey(folder, now)
    linkSync(keys('1.json'), keys('.new-1'))
    expect(await signingKey(folder, now)).toEqual(made)
    expect(readdirSync(keys())).toEqual(['1.json'])
  })
})

describe('a key that was rotated', () => {
  test('is endorsed by the old key, whose private part is deleted', async () => {
    const old = await signingKey(folder, now)
    const made = await rotateKey(folder, now + 5000)
    expect(made).toMatchObject({ number: 2, installation: old.installation })
    expect(await signingKey(folder, now)).toEqual(made)
    expect(readFileSync(keys('1.json'), 'utf8')).not.toContain('PRIVATE')
    const [first, second] = toTrustedKeys(await ownKeys(folder))
    if (first === undefined || second === undefined) throw new Error('two keys were made')
    expect(isEndorsed(second, first)).toBe(true)
    expect(isEndorsed({ ...second, publicKey: first.publicKey }, first)).toBe(false)
    expect(isEndorsed(first, second)).toBe(false)
    expect(first.until).toBe('2026-01-01T00:01:05.000Z')
    expect(second.until).toBeUndefined()
  })

  test('twice at the same moment is rotated once', async () => {
    await signingKey(folder, now)
    const made = await Promise.all([rotateKey(folder, now), rotateKey(folder, now)])
    const ours = made.filter((key) => key !== undefined)
    expect((await signingKey(folder, now)).id).toBe(ours.at(-1)?.id)
    expect(await ownKeys(folder)).toHaveLength(1 + ours.length)
  })

  test('deletes the old private part, also if a crash prevented it before', async () => {
    await signingKey(folder, now)
    const before = readFileSync(keys('1.json'))
    await rotateKey(folder, now)
    writeFileSync(keys('1.json'), before)
    await signingKey(folder, now)
    expect(readFileSync(keys('1.json'), 'utf8')).not.toContain('PRIVATE')
  })
})

describe('keys of other installations', () => {
  async function foreignKeys() {
    const other = join(folder, 'other')
    mkdirSync(other)
    await signingKey(other, now)
    return toTrustedKeys(await ownKeys(other))
  }

  test('count once they are trusted, and no longer when they are not', async () => {
    const foreign = await foreignKeys()
    const [key] = foreign
    if (key === undefined) throw new Error('one key was made')
    expect(await trustKeys(folder, foreign)).toEqual(foreign)
    expect(await trustKeys(folder, foreign)).toEqual([])
    expect(await trustedKeys(folder)).toEqual(foreign)
    expect(statSync(keys('trusted.json')).mode & 0o777).toBe(0o600)
    expect((await untrustKey(folder, key.id.slice(0, 8))).id).toBe(key.id)
    expect(await trustedKeys(folder)).toEqual([])
    await expect(untrustKey(folder, key.id)).rejects.toMatchObject({ code: 'bad-request' })
  })

  test('are not trusted from a file that others can write', async () => {
    await trustKeys(folder, await foreignKeys())
    chmodSync(keys('trusted.json'), 0o666)
    await expect(trustedKeys(folder)).rejects.toMatchObject({ code: 'not-configured' })
  })

  test('are changed by one process at a time, and the message says what to do', async () => {
    const foreign = await foreignKeys()
    await trustKeys(folder, foreign)
    writeFileSync(keys('trusted.json.lock'), '')
    await expect(trustKeys(folder, foreign)).rejects.toMatchObject({ code: 'run-busy' })
  })

  test('with a wrong id, or in another format, are refused', async () => {
    const [key] = await foreignKeys()
    if (key === undefined) throw new Error('one key was made')
    const wrong = renderTrustedKeys([{ ...key, id: '0'.repeat(64) }])
    expect(() => parseTrustedKeys(wrong, 'a file')).toThrow(/not the id of its key/)
    expect(() => parseTrustedKeys('[]', 'a file')).toThrow(/not a list of trusted keys/)
    expect(() => parseTrustedKeys('{', 'a file')).toThrow(/not a list of trusted keys/)
  })

  test('cannot be untrusted if they are those of this installation', async () => {
    const { id } = await signingKey(folder, now)
    await expect(untrustKey(folder, id)).rejects.toMatchObject({
      message: expect.stringContaining('loopctl keys rotate'),
    })
  })
})
