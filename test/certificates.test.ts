// Certificates from a user's point of view: the built loopctl, and a small part of the proof that
// every byte counts. A failure of the proof names its seed: `npm run proof -- --only evidence
// --seed <n>` makes that change again.

import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mutateCertificates } from '../build/proof/certificate-mutations.js'
import { type CertificateScene, makeCertificateScene } from '../build/proof/certificate-scene.js'
import { type VerifyTarget, verifyTarget } from '../src/history/certificates/index.ts'
import { warmLoopctl } from './warm-loopctl.ts'

let scene: CertificateScene

beforeAll(async () => {
  scene = await makeCertificateScene()
})

afterAll(() => scene.remove())

interface Said {
  readonly code: number
  readonly output: string
}

async function run(...args: readonly string[]): Promise<Said> {
  const state = join(scene.base, 'their-state')
  const { code, stdout, stderr } = await warmLoopctl(['--state', state, ...args], process.env)
  return { code, output: `${stdout}${stderr}` }
}

describe('loopctl verify', () => {
  test('trusts no key at first, creates no state folder, and then uses the keys that a person trusts', async () => {
    const unknown = await run('verify', scene.handedOver)
    expect(unknown).toMatchObject({ code: 10, output: expect.stringContaining('UNTRUSTED') })
    expect(existsSync(join(scene.base, 'their-state'))).toBe(false)
    expect(await run('keys', 'trust', scene.keys)).toMatchObject({ code: 0 })
    const file = join(scene.handedOver, 'certificate.json')
    const found = await run('--json', 'verify', file, '--repo', scene.repository)
    expect(found.code).toBe(0)
    expect(JSON.parse(found.output)).toMatchObject({ verdict: 'valid', certificate: { number: 1 } })
  })

  test('names the files that differ', async () => {
    const path = join(scene.repository, 'src/add.js')
    const before = readFileSync(path)
    appendFileSync(path, '// more\n')
    const { code, output } = await run('verify', scene.handedOver, '--repo', scene.repository)
    writeFileSync(path, before)
    expect(code).toBe(11)
    expect(output).toContain('changed  src/add.js')
    expect(output).toContain('--commit')
  })

  test('calls a changed file invalid', async () => {
    const copy = join(scene.base, 'changed.json')
    const text = readFileSync(join(scene.handedOver, 'certificate.json'), 'utf8')
    writeFileSync(copy, text.replace('"demo"', '"dem0"'))
    const changed = await run('verify', copy)
    expect(changed).toMatchObject({ code: 9, output: expect.stringContaining('INVALID') })
  })
})

describe('verification', () => {
  const verify = (change: Partial<VerifyTarget>): ReturnType<typeof verifyTarget> =>
    verifyTarget({
      target: scene.handedOver,
      folder: join(scene.base, 'no-record'),
      trusted: scene.keys,
      ...change,
    })

  test('accepts a commit instead of files, and reports what is missing', async () => {
    const repo = scene.repository
    expect(await verify({ look: { repo, commit: 'main' } })).toMatchObject({
      verdict: 'valid',
    })
    expect(await verify({ look: { repo, commit: true } })).toMatchObject({ verdict: 'valid' })
    const away = verify({ look: { repo, commit: 'elsewhere' } })
    await expect(away).rejects.toMatchObject({ code: 'unknown-artifact' })
    const unknown = verify({ target: 'nothing-here' })
    await expect(unknown).rejects.toMatchObject({ code: 'unknown-file' })
    const noKeys = verify({ trusted: join(scene.base, 'no-keys') })
    await expect(noKeys).rejects.toMatchObject({ code: 'unknown-file' })
  })
})

describe('single bytes of tree, objects, evidence and certificate', () => {
  test('are noticed when they change', async () => {
    const { mutations, undetected, verdicts } = await mutateCertificates({ scale: 0.016 })
    expect(undetected).toEqual([])
    expect(mutations).toBe(16)
    expect(verdicts).toEqual({ differs: 8, invalid: 8 })
  })

  test('would go unnoticed by a verifier that does not check', async () => {
    const { undetected } = await mutateCertificates({ scale: 0.008, sabotage: 'no look at files' })
    expect(undetected).toHaveLength(4)
    expect(undetected[0]).toMatch(/^seed \d+: .* in repository\//)
  })
})
