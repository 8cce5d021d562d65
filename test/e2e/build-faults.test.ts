/**
 * F3, F13 and F14 for builds: agents that are killed, worktrees that disappear under an agent, and locks and checkouts in
 * the way of the merge. Each ends in a known way, and the user's checkout stays as it is.
 */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { afterFile } from '../after.ts'
import { share } from '../share.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'
import { createShop, type ShopRepository } from './build-story-repository.ts'
import { environment } from './loop-fixture.ts'

const planPath = 'specs/planning/shop-plan.md'

interface Setting {
  readonly shop: ShopRepository
  readonly worktree: string
  ctl(...args: string[]): Promise<Ended>
}

function createSetting(tools: Readonly<Record<string, string>> = {}): Setting {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-build-faults-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  const shop = createShop(folder, {
    [planPath]: '- [ ] Write the price of an item in src/price.mjs\n',
    ...tools,
  })
  const ctl = (...args: string[]): Promise<Ended> =>
    warmLoopctl(args, environment(join(folder, 'state')), shop.checkout)
  return { shop, worktree: join(folder, 'shop.run-shop'), ctl }
}

const start = ({ ctl }: Setting): Promise<Ended> =>
  ctl('run', 'specs/shop.md', '--trust', '--name', 'shop')

describe('F3: an agent that is killed', () => {
  const deaths = `const die = (how) => how === 'exit' ? process.exit(137) : process.kill(process.pid, how)`

  test('has not done its task, and has not approved one, whatever it wrote before', async () => {
    // Ends with each signal in turn, after work that would pass.
    const maker = `
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
${deaths}
const prompt = readFileSync(0, 'utf8')
const dead = (prompt.match(/the agent ended with failed/g) ?? []).length
mkdirSync('src', { recursive: true })
writeFileSync('src/price.mjs', 'export const attempt = ' + dead + '\\n')
console.log('Done. Attempt ' + dead)
if (dead < 2) die(['SIGKILL', 'SIGTERM'][dead])
`
    const reviewer = `
import { readFileSync, writeSync } from 'node:fs'
${deaths}
const prompt = readFileSync(0, 'utf8')
const token = [...prompt.matchAll(/"token": "([0-9a-f]{32})"/g)].at(-1)[1]
writeSync(1, JSON.stringify({ token, verdict: 'pass', reasons: [] }) + '\\n')
die(['SIGKILL', 'SIGTERM', 'SIGINT', 'exit'][parseInt(token[0], 16) % 4])
`
    const setting = createSetting({ 'tools/maker.mjs': maker, 'tools/reviewer.mjs': reviewer })
    const { shop, ctl } = setting
    const before = shop.seen()
    const ended = await start(setting)
    expect(ended.stdout).toContain('stuck: review-failures')
    const { stdout } = await ctl('--json', 'tail', 'shop')
    expect(stdout).not.toContain('"mark":"reviewed"')
    expect(shop.git('show', `run/shop:${planPath}`)).toContain('- [x] ')
    expect(shop.git('branch', '--list', 'agent/*')).toBe('')
    expect(shop.seen()).toEqual(before)
  }, 120_000)
})

describe('F13: a worktree', () => {
  /** Waits until the test has done its part. */
  const maker = `
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
readFileSync(0)
mkdirSync('src', { recursive: true })
writeFileSync('src/started.mjs', '')
while (existsSync(process.argv[2] + '/hold')) await setTimeout(50)
console.log('Implemented it.')
`
  const changes: readonly (readonly [string, (worktree: string, outside: string) => void])[] = [
    ['that is deleted', (worktree) => rmSync(worktree, { recursive: true })],
    ['that is moved', (worktree) => renameSync(worktree, `${worktree}-moved`)],
    [
      'that is replaced by a link',
      (worktree, outside) => {
        renameSync(worktree, `${worktree}-moved`)
        symlinkSync(outside, worktree)
      },
    ],
  ]

  test.each(share(changes, changes.slice(0, 1)))(
    '%s under its agent ends the run, and nothing is written elsewhere',
    async (_what, change) => {
      const setting = createSetting({ 'tools/maker.mjs': maker })
      const { shop, worktree } = setting
      const outside = join(shop.folder, 'outside')
      mkdirSync(join(outside, 'specs/planning'), { recursive: true })
      const before = shop.seen()
      const running = start(setting)
      while (!existsSync(join(worktree, 'src/started.mjs'))) await setTimeout(50)
      change(worktree, outside)
      rmSync(join(shop.stage, 'hold'))
      const ended = await running
      expect(ended.code).not.toBe(0)
      expect(ended.stdout + ended.stderr).toMatch(/worktree|shop\.run-shop/)
      expect(readdirSync(outside, { recursive: true }).map(String).toSorted()).toEqual([
        'specs',
        'specs/planning',
      ])
      expect(shop.git('branch', '--list', 'agent/*')).toBe('')
      expect(shop.seen()).toEqual(before)
    },
    120_000,
  )
})

describe('F14: the branch of the work', () => {
  test('is merged despite locks that killed processes left', async () => {
    const setting = createSetting()
    const { shop } = setting
    const git = join(shop.checkout, '.git')
    mkdirSync(join(git, 'refs/heads/agent'), { recursive: true })
    const before = shop.seen()
    for (const lock of ['refs/heads/agent/shop.lock', 'index.lock', 'config.lock'])
      writeFileSync(join(git, lock), '')
    expect(await start(setting)).toMatchObject({ code: 0, stderr: '' })
    expect(shop.git('log', '--format=%s', 'main..agent/shop')).toBe('shop: shop\n')
    // Those of the user's own checkout are not ours to remove.
    expect(existsSync(join(git, 'index.lock')) && existsSync(join(git, 'config.lock'))).toBe(true)
    expect(shop.seen()).toEqual(before)
  }, 120_000)

  test('is not moved while it is checked out; the work stays certified, and is merged later', async () => {
    const setting = createSetting()
    const { shop, ctl } = setting
    const before = shop.seen()
    const other = join(shop.folder, 'other')
    shop.git('branch', 'agent/shop', 'main')
    shop.git('worktree', 'add', '-q', other, 'agent/shop')
    const ended = await start(setting)
    expect(ended.stdout).toContain('completed: all(plan-complete, checks-pass)')
    expect(ended.code).toBe(14)
    expect(shop.git('log', '--format=%s', 'main..agent/shop')).toBe('')
    expect(shop.git('-C', other, 'status', '--porcelain')).toBe('')
    expect((await ctl('merge', 'shop')).stderr).toContain('checked out')
    shop.git('worktree', 'remove', other)
    expect((await ctl('merge', 'shop')).code).toBe(0)
    expect(shop.git('log', '--format=%s', 'main..agent/shop')).toBe('shop: shop\n')
    expect(shop.git('worktree', 'prune', '-n')).toBe('')
    expect(shop.seen()).toEqual(before)
  }, 120_000)
})
